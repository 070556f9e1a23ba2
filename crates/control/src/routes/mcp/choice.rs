//! The tools that a client chooses, by headers or by the query of its URL.

use std::borrow::Cow;
use std::collections::BTreeSet;

use agent::tools::ToolChoice;
use domain::error::Location;
use domain::project::ProjectRef;
use domain::{Error, Result, Rule};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use wire::{Header, RequestHead};

/// The header with the names of toolsets.
pub const TOOLSETS: Header = (
    "X-MCP-Toolsets",
    "The toolsets to offer, separated by commas; `default` and `all` are among them. As the parameter `toolsets`.",
);
/// The header that leaves out tools that change data.
pub const READ_ONLY: Header =
    ("X-MCP-Readonly", "`true` to offer only tools that read. As the parameter `readonly`.");

/// The client's choices in its URL.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// The toolsets to offer, separated by commas. Defaults to `default`; `all` has every tool.
    toolsets: Option<Names>,
    /// Offer only tools that read. Defaults to `false`.
    #[serde(default)]
    readonly: bool,
    /// The project whose objects and files are the listed resources. Without one, the caller's projects are.
    pub project: Option<ProjectRef>,
}

/// Names, separated by commas.
#[derive(Debug, Deserialize)]
struct Names(String);

impl Query {
    /// The choice of a request. Toolsets of header and query count together, and either can make it read-only.
    ///
    /// # Errors
    /// `INVALID_REQUEST` that lists the toolsets, for an unknown one.
    pub fn choice(&self, head: &RequestHead, known: &[&'static str]) -> Result<ToolChoice> {
        let listed = head.single(TOOLSETS.0)?.unwrap_or_default();
        let in_query = self.toolsets.as_ref().map_or("", |names| &names.0);
        let mut toolsets = names(listed, known, TOOLSETS.0, Location::Header)?;
        toolsets.extend(names(in_query, known, "toolsets", Location::Query)?);
        let is_read_only = match head.single(READ_ONLY.0)? {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => {
                let values = Rule::Enum(vec!["true".into(), "false".into()]);
                return Err(Error::broken(READ_ONLY.0, values).at(Location::Header));
            }
        };
        Ok(ToolChoice { toolsets, read_only: self.readonly || is_read_only })
    }
}

fn names(text: &str, known: &[&'static str], field: &str, place: Location) -> Result<BTreeSet<String>> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let checked = names.map(|name| match known.contains(&name) {
        true => Ok(name.to_owned()),
        false => {
            let known = known.iter().map(|name| Value::from(*name)).collect();
            Err(Error::broken(field, Rule::Enum(known)).at(place))
        }
    });
    checked.collect()
}

impl JsonSchema for Names {
    fn schema_name() -> Cow<'static, str> {
        "ToolsetNames".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "string" } })
    }
}
