//! All broken rules of an input. Reading an input into its type stops at the first broken rule. The type's JSON Schema,
//! which the OpenAPI document holds, then finds the others. Valid inputs never get here.

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use domain::format::FORMATS;
use domain::{Error, Rule};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, JsonType, Keyword, ValidationError, Validator};
use parking_lot::RwLock;
use schemars::JsonSchema;
use serde_json::{Number, Value, json};

use crate::contract::bounded_schema::{self, HAS_CREDIT, HasCredit};
use crate::contract::dialect::NOT_CLEARED;
use crate::contract::json_text::{child, path};
use crate::contract::nearest::add_names;
use crate::contract::schemas::Schemas;

/// Most broken rules that are counted in one input.
const BROKEN_RULES_MAX: usize = 1_000;

/// Schemas by type of input; made when an input of the type is refused for the first time.
static SCHEMAS: LazyLock<RwLock<HashMap<TypeId, Arc<InputSchema>>>> = LazyLock::new(RwLock::default);

/// The schema of a type of input.
pub(crate) struct InputSchema {
    validator: Option<Validator>,
    /// The schema with the definitions that it refers to.
    whole: Value,
}

/// The keyword of a patch's field that takes no `null`. Its type is that of a patch, which does.
struct NotCleared;

/// A broken rule at a path within the input.
type Broken = (String, Rule);

impl InputSchema {
    /// The schema of `T`.
    pub(crate) fn of<T: JsonSchema + 'static>() -> Arc<Self> {
        let id = TypeId::of::<T>();
        if let Some(known) = SCHEMAS.read().get(&id) {
            return Arc::clone(known);
        }
        let made = Arc::new(Self::new::<T>());
        SCHEMAS.write().insert(id, Arc::clone(&made));
        made
    }

    fn new<T: JsonSchema>() -> Self {
        let (mut schema, mut definitions) = Schemas::of_input::<T>();
        for part in definitions.values_mut().chain([&mut schema]) {
            bound_integers(part);
            offer_no_null(part);
            bounded_schema::bound(part);
        }
        let whole = json!({ "allOf": [schema], "$defs": definitions });
        let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
        let options =
            FORMATS.iter().fold(options, |options, (name, accepts)| options.with_format(*name, *accepts));
        let options = options.with_keyword(NOT_CLEARED, |_, _, _| Ok(Box::new(NotCleared)));
        let options = options.with_keyword(HAS_CREDIT, |_, _, _| Ok(Box::new(HasCredit)));
        Self { validator: options.build(&whole).ok(), whole }
    }

    /// The rules that `input` breaks, as one failure.
    pub(crate) fn refuse(&self, input: &Value) -> Option<Error> {
        bounded_schema::renew_credit();
        let errors = self.validator.as_ref()?.iter_errors(input).take(BROKEN_RULES_MAX);
        let mut nearest = HashMap::new();
        let errors = errors.inspect(|error| add_names(error, &self.whole, &mut nearest));
        let mut broken: Vec<Broken> = errors.flat_map(|error| rules(&error)).take(BROKEN_RULES_MAX).collect();
        // A format says more than its pattern. It is judged only where the text keeps its other rules.
        let paths = |wanted: fn(&Rule) -> bool| -> HashSet<String> {
            broken.iter().filter(|(_, rule)| wanted(rule)).map(|(path, _)| path.clone()).collect()
        };
        let formats = paths(|rule| matches!(rule, Rule::Format(_)));
        let others = paths(|rule| !matches!(rule, Rule::Format(_) | Rule::Pattern(_)));
        let cleared = paths(|rule| matches!(rule, Rule::Required));
        broken.retain(|(path, rule)| match rule {
            Rule::Enum(_) => !cleared.contains(path),
            Rule::Format(_) => !others.contains(path),
            Rule::Pattern(_) => !formats.contains(path),
            _ => true,
        });
        let failures = broken.into_iter().map(|(path, rule)| match nearest.get(&path) {
            Some(name) if rule == Rule::Unknown => {
                Error::invalid(path, rule, format!("is not known here (did you mean `{name}`?)"))
            }
            _ => Error::broken(path, rule),
        });
        Error::all(failures.map(Err::<(), _>)).err()
    }

    /// The parameters of a path or a query as the JSON that their schemas describe.
    pub(crate) fn read_texts<'a>(&self, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Value {
        let fields = self.whole.pointer("/allOf/0/properties");
        let read = |(name, text): (&str, &str)| {
            let types = fields.and_then(|fields| fields.get(name)).map(|schema| self.types(schema));
            (name.to_owned(), from_text(text, &types.unwrap_or_default()))
        };
        Value::Object(pairs.into_iter().map(read).collect())
    }

    /// The JSON types that a schema accepts.
    fn types<'a>(&'a self, schema: &'a Value) -> Vec<&'a str> {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|place| place.rsplit('/').next());
        if let Some(schema) = name.and_then(|name| self.whole.get("$defs")?.get(name)) {
            return self.types(schema);
        }
        match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => {
                let alternatives = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
                alternatives.flat_map(|schema| self.types(schema)).collect()
            }
        }
    }
}

impl<'i> Keyword<'i> for NotCleared {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(value) { Ok(()) } else { Err(ValidationError::custom("must not be null")) }
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        !value.is_null()
    }
}

/// A parameter's text as a value of one of `types`; the text itself if it is of another type.
fn from_text(text: &str, types: &[&str]) -> Value {
    let read = types.iter().find_map(|name| match *name {
        "integer" => text.parse::<i64>().ok().map(Value::from),
        "number" => text.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number),
        "boolean" => text.parse::<bool>().ok().map(Value::Bool),
        "array" => Some(text.split(',').map(Value::from).collect()),
        _ => None,
    });
    read.unwrap_or_else(|| text.into())
}

/// Adds the bounds of an integer's width to schemas that have no narrower ones.
fn bound_integers(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let (least, most) = match fields.get("format").and_then(Value::as_str) {
                Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
                Some("int64") => (json!(i64::MIN), json!(i64::MAX)),
                Some("uint32") => (json!(0), json!(u32::MAX)),
                Some("uint64") => (json!(0), json!(u64::MAX)),
                _ => return fields.values_mut().for_each(bound_integers),
            };
            fields.entry("minimum").or_insert(least);
            fields.entry("maximum").or_insert(most);
        }
        Value::Array(items) => items.iter_mut().for_each(bound_integers),
        _ => {}
    }
}

/// Removes `null` from the values of fields that take none, as the published schema does. Their type stays that of a
/// patch: a `null` breaks the one rule of [`NotCleared`].
fn offer_no_null(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key(NOT_CLEARED)
                && let Some(Value::Array(values)) = fields.get_mut("enum")
            {
                values.retain(|value| !value.is_null());
            }
            fields.values_mut().for_each(offer_no_null);
        }
        Value::Array(items) => items.iter_mut().for_each(offer_no_null),
        _ => {}
    }
}

/// The broken rules that an error of the validator stands for.
fn rules(error: &ValidationError<'_>) -> Vec<Broken> {
    use ValidationErrorKind as Kind;
    let path = path(error.instance_path());
    let fields = |names: &[String], rule: Rule| {
        let names = names.iter().take(BROKEN_RULES_MAX);
        names.map(|name| (child(&path, name), rule.clone())).collect::<Vec<_>>()
    };
    let rule = match error.kind() {
        Kind::Required { property } => return fields(&[text(property)], Rule::Required),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            return fields(unexpected, Rule::Unknown);
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            return nearest(
                context.iter().map(|errors| errors.iter().flat_map(rules).collect()).collect(),
                &path,
            );
        }
        Kind::Type { kind: TypeKind::Single(name) } => Rule::types([name.as_str()]),
        Kind::Type { kind: TypeKind::Multiple(names) } => {
            Rule::Type(names.iter().map(JsonType::as_str).map(str::to_owned).collect())
        }
        Kind::Constant { expected_value } => Rule::Enum(vec![Value::clone(expected_value)]),
        Kind::Enum { options } => Rule::Enum(options.as_array().cloned().unwrap_or_default()),
        Kind::Pattern { pattern } => Rule::Pattern(pattern.clone()),
        Kind::Format { format } => Rule::Format(format.clone()),
        Kind::MinLength { limit } => Rule::MinLength(count(*limit)),
        Kind::MaxLength { limit } => Rule::MaxLength(count(*limit)),
        Kind::MinItems { limit } => Rule::MinItems(count(*limit)),
        Kind::MaxItems { limit } => Rule::MaxItems(count(*limit)),
        Kind::MinProperties { limit } => Rule::MinProperties(count(*limit)),
        Kind::MaxProperties { limit } => Rule::MaxProperties(count(*limit)),
        Kind::Minimum { limit } => Rule::Minimum(number(limit)),
        Kind::Maximum { limit } => Rule::Maximum(number(limit)),
        Kind::UniqueItems => Rule::Duplicate,
        // The one keyword of our own is `NotCleared`.
        Kind::Custom { .. } => Rule::Required,
        // No schema of a request uses another keyword; a test holds them to the ones above.
        _ => return Vec::new(),
    };
    vec![(path, rule)]
}

/// The broken rules of the alternative at `path` that the input means. An input of another type means none of them, and
/// an input whose tag names one means that.
fn nearest(mut alternatives: Vec<Vec<Broken>>, path: &str) -> Vec<Broken> {
    let is_type = |broken: &Vec<Broken>| matches!(broken.as_slice(), [(at, Rule::Type(_)), ..] if at == path);
    if alternatives.iter().all(is_type) {
        let names = alternatives.into_iter().flatten().filter_map(|(_, rule)| match rule {
            Rule::Type(names) => Some(names),
            _ => None,
        });
        let mut names: Vec<String> = names.flatten().collect();
        names.dedup();
        return vec![(path.to_owned(), Rule::Type(names))];
    }
    alternatives.retain(|broken| !is_type(broken));
    // A tag has one value in each alternative; another field may break a list of values, too.
    let is_tag = |one: &&Broken| matches!(&one.1, Rule::Enum(values) if values.len() == 1);
    let tags = |broken: &[Broken]| broken.iter().filter(is_tag).count();
    let tag = alternatives.first().and_then(|broken| {
        let of_all = |at: &String| alternatives.iter().all(|broken| values_at(broken, at).is_some());
        broken.iter().map(|(at, _)| at).find(|at| of_all(at)).cloned()
    });
    if let Some(tag) = tag {
        let values = alternatives.iter().filter_map(|broken| values_at(broken, &tag));
        return vec![(tag.clone(), Rule::Enum(values.flatten().cloned().collect()))];
    }
    let least = alternatives.iter().map(|broken| tags(broken)).min().unwrap_or_default();
    alternatives.retain(|broken| tags(broken) == least);
    let first = alternatives.first().cloned().unwrap_or_default();
    let common: Vec<Broken> =
        first.iter().filter(|one| alternatives.iter().all(|broken| broken.contains(one))).cloned().collect();
    if common.is_empty() {
        return alternatives.into_iter().min_by_key(Vec::len).unwrap_or_default();
    }
    common
}

/// The values that are accepted at a path whose value is another.
fn values_at<'a>(broken: &'a [Broken], path: &str) -> Option<&'a Vec<Value>> {
    broken.iter().find_map(|(at, rule)| match rule {
        Rule::Enum(values) if at == path => Some(values),
        _ => None,
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn count(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn number(limit: &Value) -> Number {
    limit.as_number().cloned().unwrap_or_else(|| 0.into())
}
