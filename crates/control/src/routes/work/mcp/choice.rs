//! The tools that a client chooses, by headers or by the query of its URL.

use std::collections::BTreeSet;

use agent::tools::ToolChoice;
use api::work::mcp::{READ_ONLY, TOOLSETS, UseMcpQuery};
use domain::error::Location;
use domain::{Error, Result, Rule};
use serde_json::Value;
use wire::RequestHead;

/// The choice of a request. Toolsets of header and query count together, and either can make it read-only.
///
/// # Errors
/// `INVALID_REQUEST` that lists the toolsets, for an unknown one.
pub fn of_request(query: &UseMcpQuery, head: &RequestHead, known: &[&'static str]) -> Result<ToolChoice> {
    let listed = head.single(TOOLSETS.0)?.unwrap_or_default();
    let in_query = query.toolsets.as_ref().map_or("", |names| &names.0);
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
    Ok(ToolChoice { toolsets, read_only: query.readonly || is_read_only })
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
