//! The broken rules of a request, as the service keeps them and as clients read them.

use std::fmt;
use std::mem::discriminant;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::rule::Rule;

/// A broken rule and the field that breaks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Violation {
    /// The part of the request that holds the field, once known.
    pub(crate) location: Option<Location>,
    /// The field: `endDate`, `operations[3].parent`. Empty for the whole input.
    pub(crate) field: String,
    /// The rule.
    pub(crate) rule: Rule,
    /// For people.
    pub(crate) message: String,
}

impl Violation {
    /// The first segment of the place is the part of the request, once known.
    fn path(&self) -> String {
        match (self.location, self.field.as_str()) {
            (None, field) => field.to_owned(),
            (Some(location), "") => location.as_str().to_owned(),
            (Some(location), field) => format!("{}.{field}", location.as_str()),
        }
    }

    /// True if `other` is the same rule at the same place, or only says that something here can't be read.
    pub(crate) fn implies(&self, other: &Self) -> bool {
        let is_same = discriminant(&self.rule) == discriminant(&other.rule);
        self.location == other.location
            && self.field == other.field
            && (is_same || other.rule == Rule::Syntax)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path().as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

/// A part of a request that holds input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Location {
    /// The URL's path.
    Path,
    /// The URL's query.
    Query,
    /// The headers.
    Header,
    /// The body.
    Body,
    /// The parameters of a tool call, which combine path, query and body.
    Params,
}

impl Location {
    /// The first segment of [`Issue::path`].
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Body => "body",
            Self::Params => "params",
        }
    }
}

/// An element of `details.issues`: one broken rule of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = list_rules)]
pub struct Issue {
    /// The field: `body.name`, `query.limit`, `path.projectId`, `header.Idempotency-Key`.
    pub path: String,
    /// The rule, and its bound for rules that have one.
    #[serde(flatten)]
    pub rule: Rule,
    /// For people.
    pub message: String,
}

impl From<&Violation> for Issue {
    fn from(violation: &Violation) -> Self {
        Self { path: violation.path(), rule: violation.rule.clone(), message: violation.message.clone() }
    }
}

/// Describes the rules by one list of their names. The derived schema has an alternative for each.
fn list_rules(schema: &mut Schema) {
    let Some(Value::Array(rules)) = schema.remove("oneOf") else { return };
    let text = |rule: &Value, place: &str| rule.pointer(place).and_then(Value::as_str).map(str::to_owned);
    let names: Vec<String> = rules.iter().filter_map(|rule| text(rule, "/properties/rule/const")).collect();
    let lines = rules.iter().filter_map(|rule| {
        Some(format!("- `{}`: {}", text(rule, "/properties/rule/const")?, text(rule, "/description")?))
    });
    let description = format!("The rule.\n\n{}", lines.collect::<Vec<_>>().join("\n"));
    let bound = "The bound of a rule that has one: a number, a text or a list of values.";
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.insert(
            "rule".to_owned(),
            json!({ "type": "string", "enum": names, "description": description }),
        );
        fields.insert("bound".to_owned(), json!({ "description": bound }));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.push(json!("rule"));
    }
}
