//! Parses path, query and body into types. Each failure names a place and a rule.

use std::borrow::Cow;
use std::collections::HashSet;

use domain::error::Location;
use domain::{Error, Result};
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as TextError, MapDeserializer};
use serde_json::Value;

use crate::contract::unique_keys::require_unique_keys;

/// Parses the path's parameters. Each value is percent-decoded once, so a branch name can contain `%2F`.
pub(crate) fn path<T: DeserializeOwned>(path: &[(String, String)]) -> Result<T> {
    let mut values = Vec::new();
    for (name, value) in path {
        let value = percent_decode_str(value).decode_utf8();
        let value = value.map_err(|_| Error::invalid(name, "format", "must be UTF-8").at(Location::Path))?;
        values.push((name.as_str(), value));
    }
    let values = MapDeserializer::<_, TextError>::new(values.into_iter());
    serde_path_to_error::deserialize(values)
        .map_err(|error| issue(&error.path().to_string(), &error.inner().to_string()).at(Location::Path))
}

/// Parses the query's parameters. Each may occur once; lists are comma-separated.
pub(crate) fn query<T: DeserializeOwned>(text: &str) -> Result<T> {
    let pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> =
        serde_html_form::from_str(text).map_err(|error| issue("", &error.to_string()).at(Location::Query))?;
    let mut seen = HashSet::new();
    if let Some((repeated, _)) = pairs.iter().find(|(name, _)| !seen.insert(name)) {
        return Err(Error::invalid(&**repeated, "duplicate", "must not be repeated").at(Location::Query));
    }
    serde_path_to_error::deserialize(serde_html_form::Deserializer::from_bytes(text.as_bytes()))
        .map_err(|error| issue(&error.path().to_string(), &error.inner().to_string()).at(Location::Query))
}

/// Parses a JSON body, which is an object.
pub(crate) fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    // serde would also accept an array of the fields' values in the order of their declaration.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(issue("", "invalid type: sequence, expected an object"));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let at = error.path().to_string();
        let error = error.into_inner();
        if error.is_data() { issue(&at, &without_position(&error.to_string())) } else { not_json(&error) }
    })?;
    deserializer.end().map_err(|error| not_json(&error))?;
    require_unique_keys(body)?;
    Ok(value)
}

/// Parses one part of a body whose parts differ in type. `place` locates it, as in `operations[3]`.
///
/// # Errors
/// `INVALID_REQUEST`, with the place within the part.
pub fn parse_part<T: DeserializeOwned>(place: &str, part: impl Into<Value>) -> Result<T> {
    serde_path_to_error::deserialize(part.into())
        .map_err(|error| issue(&error.path().to_string(), &error.inner().to_string()).within(place))
}

fn not_json(error: &serde_json::Error) -> Error {
    Error::invalid("", "json", format!("is not valid JSON: {error}"))
}

/// Makes a failure from serde's `message` at `path`. For a missing or repeated field, serde names the object and quotes
/// the field; the failure names the field itself.
fn issue(path: &str, message: &str) -> Error {
    let rule = match message {
        _ if message.starts_with("missing field") => "required",
        _ if message.starts_with("unknown field") => "unknown",
        _ if message.starts_with("duplicate field") => "duplicate",
        _ if message.starts_with("unknown variant") => "enum",
        _ if message.starts_with("invalid type") => "type",
        _ if message.starts_with("invalid length") => "length",
        _ => "format",
    };
    let quoted = message.split('`').nth(1).filter(|_| matches!(rule, "required" | "duplicate" | "unknown"));
    let message = match rule {
        "required" => "is required",
        "unknown" => "is not known here",
        "duplicate" => "must not be repeated",
        _ => message,
    };
    let path = if path == "." { "" } else { path };
    match quoted.filter(|field| path.rsplit('.').next() != Some(field)) {
        Some(field) if path.is_empty() => Error::invalid(field, rule, message),
        Some(field) => Error::invalid(field, rule, message).within(path),
        None => Error::invalid(path, rule, message),
    }
}

/// Removes the position that serde_json appends; the field's path is more precise.
fn without_position(message: &str) -> String {
    match message.rsplit_once(" at line ") {
        Some((message, _)) => message.to_owned(),
        None => message.to_owned(),
    }
}
