//! From text to typed path, query and body; each way to fail names the place and the rule.

use std::borrow::Cow;
use std::collections::HashSet;

use domain::error::Location;
use domain::{Error, Result};
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as TextError, MapDeserializer};
use serde_json::Value;

/// The path's parameters. A value is decoded once and completely, so that `%2F` can stand in a branch name.
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

/// The query's parameters. Each may stand once; lists are comma-separated.
pub(crate) fn query<T: DeserializeOwned>(text: &str) -> Result<T> {
    let pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> =
        serde_html_form::from_str(text).map_err(|error| issue("", &error.to_string()).at(Location::Query))?;
    let mut seen = HashSet::new();
    if let Some((twice, _)) = pairs.iter().find(|(name, _)| !seen.insert(name)) {
        return Err(Error::invalid(&**twice, "duplicate", "must not be repeated").at(Location::Query));
    }
    serde_path_to_error::deserialize(serde_html_form::Deserializer::from_bytes(text.as_bytes()))
        .map_err(|error| issue(&error.path().to_string(), &error.inner().to_string()).at(Location::Query))
}

/// A JSON body, which is an object.
pub(crate) fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    // serde would also take the fields' values as a list, in the order in which the type has them.
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
    Ok(value)
}

/// One part of a body whose parts are of different types; `place` is where it stands, as in `operations[3]`.
///
/// # Errors
/// `INVALID_REQUEST`, which names the place within it.
pub fn part<T: DeserializeOwned>(place: &str, part: impl Into<Value>) -> Result<T> {
    serde_path_to_error::deserialize(part.into())
        .map_err(|error| issue(&error.path().to_string(), &error.inner().to_string()).within(place))
}

fn not_json(error: &serde_json::Error) -> Error {
    Error::invalid("", "json", format!("is not valid JSON: {error}"))
}

/// The failure for a message of serde's at `path`. For a field that is missing, or there twice, serde names the object
/// and quotes the field; here the field is the place.
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

/// serde_json appends where it stopped, which says nothing that the field's path does not.
fn without_position(message: &str) -> String {
    match message.rsplit_once(" at line ") {
        Some((message, _)) => message.to_owned(),
        None => message.to_owned(),
    }
}
