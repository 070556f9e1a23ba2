//! Reads path, query and body into types. A failure names every broken rule with its place.

use std::borrow::Cow;
use std::collections::HashSet;

use domain::error::Location;
use domain::{Error, Result, Rule};
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as TextError, MapDeserializer};
use serde_json::Value;

use crate::contract::input_schema::InputSchema;
use crate::contract::json_text::{self, child};
use crate::contract::unique_keys::has_unique_keys;
use crate::contract::whole_numbers;

/// Largest body of which all broken rules are looked for. Of a larger one the first is named.
pub(crate) const SCHEMA_MAX_BYTES: u64 = 1024 * 1024;

/// Reads the path's parameters. Each value is percent-decoded once, so a branch name can contain `%2F`.
pub(crate) fn path<T: DeserializeOwned + JsonSchema + 'static>(path: &[(String, String)]) -> Result<T> {
    let mut values = Vec::new();
    for (name, value) in path {
        let value = percent_decode_str(value).decode_utf8();
        let refused = |_| Error::invalid(name, Rule::format("utf-8"), "must be UTF-8").at(Location::Path);
        values.push((name.as_str(), value.map_err(refused)?));
    }
    let pairs = values.iter().map(|(name, value)| (*name, value.as_ref())).collect::<Vec<_>>();
    let deserializer = MapDeserializer::<_, TextError>::new(values.clone().into_iter());
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let schema = InputSchema::of::<T>();
        let found = schema.refuse(&schema.read_texts(pairs));
        with_first(found, &error.path().to_string(), &error.inner().to_string()).at(Location::Path)
    })
}

/// Reads the query's parameters. Each may occur once; lists are comma-separated.
pub(crate) fn query<T: DeserializeOwned + JsonSchema + 'static>(text: &str) -> Result<T> {
    let unreadable = |_| Error::broken("", Rule::Syntax).at(Location::Query);
    let pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> = serde_html_form::from_str(text).map_err(unreadable)?;
    let mut seen = HashSet::new();
    let repeated: Vec<&str> =
        pairs.iter().map(|(name, _)| name.as_ref()).filter(|name| !seen.insert(*name)).collect();
    let deserializer = serde_html_form::Deserializer::from_bytes(text.as_bytes());
    let stopped = match serde_path_to_error::deserialize(deserializer) {
        Ok(query) if repeated.is_empty() => return Ok(query),
        Ok(_) => None,
        Err(error) => Some((error.path().to_string(), error.inner().to_string())),
    };
    let schema = InputSchema::of::<T>();
    let found = schema.refuse(&schema.read_texts(pairs.iter().map(|(name, value)| (&**name, &**value))));
    let repeated = repeated.into_iter().map(|name| Error::broken(name, Rule::Duplicate));
    let found = repeated.chain(found).reduce(Error::and);
    let error = match stopped {
        Some((path, message)) => with_first(found, &path, &message),
        None => found.unwrap_or_else(|| Error::broken("", Rule::Duplicate)),
    };
    Err(error.at(Location::Query))
}

/// Reads a JSON body, which is an object.
pub(crate) fn json<T: DeserializeOwned + JsonSchema + 'static>(body: &[u8]) -> Result<T> {
    // serde would also accept an array of the fields' values in the order of their declaration.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(broken_rules::<T>(body).unwrap_or_else(|| Error::broken("", Rule::types(["object"]))));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = match serde_path_to_error::deserialize(&mut deserializer) {
        Ok(value) => value,
        // serde_json calls it an error of syntax, too, where a number stands for one of several names.
        Err(error) if !error.inner().is_data() => {
            return Err(broken_rules::<T>(body).unwrap_or_else(|| not_json(error.inner())));
        }
        Err(error) => {
            let message = error.inner().to_string();
            if whole_numbers::is_asked_for(&message)
                && let Some(body) = whole_numbers::rewrite(body)
            {
                return json(&body);
            }
            let path = error.path().to_string();
            return Err(with_first(broken_rules::<T>(body), &path, without_position(&message)));
        }
    };
    deserializer.end().map_err(|error| not_json(&error))?;
    if has_unique_keys(body) {
        return Ok(value);
    }
    let repeated = || json_text::read(body).and_then(|(_, repeated)| repeated.into_iter().reduce(Error::and));
    let broken = broken_rules::<T>(body).or_else(repeated);
    Err(broken.unwrap_or_else(|| Error::broken("", Rule::Duplicate)))
}

/// The rules of its schema that a JSON body breaks.
pub(crate) fn broken_rules<T: JsonSchema + 'static>(body: &[u8]) -> Option<Error> {
    if u64::try_from(body.len()).is_ok_and(|length| length > SCHEMA_MAX_BYTES) {
        return None;
    }
    let (value, repeated) = json_text::read(body)?;
    repeated.into_iter().chain(InputSchema::of::<T>().refuse(&value)).reduce(Error::and)
}

/// Reads one part of a body whose parts differ in type. `place` locates it, as in `operations[3]`.
///
/// # Errors
/// `INVALID_REQUEST`, with the place within the part.
pub fn parse_part<T: DeserializeOwned>(place: &str, part: impl Into<Value>) -> Result<T> {
    let part = part.into();
    let integers = whole_numbers::integers(&part);
    let read = match (serde_path_to_error::deserialize(part), integers) {
        (Err(error), Some(integers)) if whole_numbers::is_asked_for(&error.inner().to_string()) => {
            serde_path_to_error::deserialize(integers)
        }
        (read, _) => read,
    };
    read.map_err(|error| {
        with_first(None, &error.path().to_string(), &error.inner().to_string()).within(place)
    })
}

fn not_json(error: &serde_json::Error) -> Error {
    let place = format!("line {}, column {}", error.line(), error.column());
    Error::invalid("", Rule::Syntax, format!("is not valid JSON ({place})"))
}

/// Adds the rule that stopped the reading to the rules that the schema found, unless it is one of them. `message` is
/// serde's, at `path`.
fn with_first(found: Option<Error>, path: &str, message: &str) -> Error {
    let path = if path == "." { "" } else { path };
    match found {
        // An unknown field may be repeated, too.
        Some(found) if found.covers(path) && !message.starts_with("unknown field") => found,
        Some(found) => found.and(first(path, message)),
        None => first(path, message),
    }
}

/// The broken rule behind serde's `message` at `path`. For a missing, unknown or repeated field, serde names the object
/// and quotes the field. Only messages of this service's types reach clients; they begin with "must".
fn first(path: &str, message: &str) -> Error {
    let quoted = message.split('`').nth(1).unwrap_or_default();
    let field = || match path.rsplit('.').next() {
        Some(last) if last == quoted => path.to_owned(),
        _ => child(path, quoted),
    };
    match message {
        _ if message.starts_with("missing field") => Error::broken(field(), Rule::Required),
        _ if message.starts_with("unknown field") => Error::broken(field(), Rule::Unknown),
        _ if message.starts_with("duplicate field") => Error::broken(field(), Rule::Duplicate),
        _ if message.starts_with("invalid type") => Error::broken(path, Rule::types([expected(message)])),
        _ if message.starts_with("must ") => Error::invalid(path, Rule::Syntax, message),
        _ => Error::broken(path, Rule::Syntax),
    }
}

/// The JSON type that serde's message expects.
fn expected(message: &str) -> &'static str {
    match message.rsplit_once("expected ").map(|(_, expected)| expected) {
        Some("i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize") => "integer",
        Some("f32" | "f64") => "number",
        Some("a boolean") => "boolean",
        Some("a sequence") => "array",
        Some("a string" | "a borrowed string") => "string",
        _ => "object",
    }
}

/// Removes the position that serde_json appends; the field's path is more precise.
fn without_position(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(message, _)| message)
}

#[cfg(test)]
mod tests {
    use domain::error::Refusal;
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::{broken_rules, json};

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[schemars(extend("additionalProperties" = false))]
    #[expect(dead_code, reason = "only the schema is of interest")]
    struct Body {
        #[serde(default)]
        #[schemars(length(max = 500))]
        operations: Vec<Operation>,
        #[serde(default)]
        unbounded: Vec<Operation>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "op", rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only the schema is of interest")]
    enum Operation {
        Create { name: String },
        Tag { id: String },
    }

    fn details(body: &Value) -> Value {
        Refusal::from(&json::<Body>(body.to_string().as_bytes()).unwrap_err()).details.unwrap()
    }

    #[test]
    fn a_list_that_is_too_long_is_counted_before_its_elements_are_looked_at() {
        let details = self::details(&json!({ "operations": vec![json!({}); 100_000] }));
        assert_eq!(details["issues"].as_array().unwrap().len(), 1, "{details}");
        assert_eq!(details["issues"][0]["path"], "operations");
        assert_eq!(details["issues"][0]["rule"], "maxItems");
        // Within its length, each element is judged.
        let details = self::details(&json!({ "operations": vec![json!({}); 120] }));
        assert_eq!(details["issues"].as_array().unwrap().len(), 100);
        assert_eq!(details["issues"][99]["path"], "operations[99].op");
        assert_eq!(details["omittedIssues"], 20);
    }

    #[test]
    fn the_search_for_broken_rules_ends_at_a_bound() {
        // Each element costs credit, of which there is enough for 500.
        let found =
            broken_rules::<Body>(json!({ "unbounded": vec![json!({}); 2_000] }).to_string().as_bytes());
        let details = Refusal::from(&found.unwrap()).details.unwrap();
        assert_eq!(details["omittedIssues"], 400);
        let fields = (0..50_000).map(|n| (format!("field{n}"), json!(n))).collect();
        assert_eq!(self::details(&Value::Object(fields))["omittedIssues"], 900);
        let repeated = format!("{{{}}}", vec![r#""a":1"#; 5_000].join(","));
        let found = broken_rules::<Body>(repeated.as_bytes()).unwrap();
        assert!(Refusal::from(&found).details.unwrap()["issues"].as_array().unwrap().len() <= 100);
    }

    #[test]
    fn a_long_name_is_quoted_in_part() {
        let name = "n".repeat(900_000);
        for body in [json!({ &name: 1 }), json!({ "operations": [{ "op": "tag", "id": "a", &name: 1 }] })] {
            let refused = json::<Body>(body.to_string().as_bytes()).unwrap_err();
            let answer = serde_json::to_string(&Refusal::from(&refused)).unwrap();
            assert!(answer.len() < 2_000, "{answer}");
            assert!(answer.contains("nnn…"), "{answer}");
        }
    }
}
