//! A response of a service, with a short text form for snapshots.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails by panicking")]

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use bytes::Bytes;
use regex_lite::{Captures, Regex};
use reqwest::header::HeaderMap;
use serde_json::Value;

/// Values that differ between runs: keys, grants, ids, times, Git hashes and addresses.
pub(crate) const VOLATILE: &str = concat!(
    r"(?<key>svc_ak_(?:live|test)_[0-9A-Za-z]{43})",
    r"|(?<grant>svc_gr_[0-9A-Za-z_.-]+)",
    r"|(?<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})",
    r"|(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)",
    r"|(?<url>https?://127\.0\.0\.1:\d+)",
    r"|(?<hash>\b[0-9a-f]{40}\b)",
);
const KINDS: [&str; 6] = ["key", "grant", "id", "time", "url", "hash"];
/// The zero hash, which means "no commit", and is called so in snapshots.
const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

/// Columns of a line of JSON, as far as it has places to break.
const COLUMNS: usize = 100;

/// A response. Displayed as its status and, for failures, code and details; else its body. Ids, times and secrets
/// become placeholders, numbered in order of appearance.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{} is no JSON: {error}", String::from_utf8_lossy(&self.body)))
    }

    /// The text at a JSON pointer of the body, for example `/project/id`.
    pub fn text(&self, pointer: &str) -> String {
        let json = self.json();
        match json.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            other => panic!("{pointer} is {other:?} in {json}"),
        }
    }

    /// A header; empty where it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The error code of a failure.
    pub fn code(&self) -> String {
        self.text("/error/code")
    }

    /// True if this is the stored outcome of an earlier request.
    pub fn is_replay(&self) -> bool {
        self.header("idempotency-replayed") == "true"
    }

    /// Returns the response if it has the expected status; panics otherwise.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        self
    }

    /// The broken rules of a 400, one line per issue: `body.name unknown`.
    pub fn issues(&self) -> Vec<String> {
        let json = self.json();
        let issues = json.pointer("/error/details/issues").and_then(Value::as_array);
        let text = |issue: &Value, field: &str| issue.get(field).and_then(Value::as_str).unwrap().to_owned();
        issues
            .map(|issues| {
                issues.iter().map(|issue| format!("{} {}", text(issue, "path"), text(issue, "rule")))
            })
            .map_or_else(Vec::new, Iterator::collect)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        if self.is_replay() {
            f.write_str(" replayed")?;
        }
        if self.body.is_empty() {
            return Ok(());
        }
        let Ok(json) = serde_json::from_slice(&self.body).map(sorted) else {
            return write!(f, " {} bytes", self.body.len());
        };
        let Some(error) = json.get("error") else {
            return write!(f, " {}", redacted_lines(&json));
        };
        write!(f, " {}", error.get("code").and_then(Value::as_str).unwrap_or("without a code"))?;
        if error["code"] == "INVALID_REQUEST" && error.pointer("/details/issues").is_some() {
            return write!(f, " {}", self.issues().join(", "));
        }
        // Codes of their own say which rule is broken.
        let mut details = error.get("details").and_then(Value::as_object).cloned().unwrap_or_default();
        details.remove("issues");
        if details.is_empty() {
            return Ok(());
        }
        write!(f, " {}", redacted_lines(&Value::Object(details)))
    }
}

/// The value with its fields sorted, independent of the order in which a service writes them.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            fields.into_iter().collect()
        }
        Value::Array(values) => values.into_iter().map(sorted).collect(),
        value => value,
    }
}

/// JSON without the values that differ between runs, in lines that can be reviewed: a value that fits on one is not broken.
pub fn redacted_lines(json: &Value) -> String {
    let redacted = redact(&json.to_string());
    lines(&serde_json::from_str(&redacted).unwrap(), 0)
}

/// A value within this number of others.
fn lines(value: &Value, depth: usize) -> String {
    let text = value.to_string();
    let (open, close, items): (_, _, Vec<String>) = match value {
        _ if 2 * depth + text.chars().count() <= COLUMNS => return text,
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), lines(value, depth + 1))
            };
            ("{", "}", fields.iter().map(field).collect())
        }
        Value::Array(values) => ("[", "]", values.iter().map(|value| lines(value, depth + 1)).collect()),
        _ => return text,
    };
    let indent = "  ".repeat(depth);
    let items: Vec<String> = items.iter().map(|item| format!("{indent}  {item}")).collect();
    format!("{open}\n{}\n{indent}{close}", items.join(",\n"))
}

/// Replaces the values that differ between runs.
pub fn redact(text: &str) -> String {
    let mut seen: HashMap<String, String> = HashMap::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let volatile = Regex::new(VOLATILE).unwrap();
    let replaced = volatile.replace_all(text, |captures: &Captures<'_>| {
        let kind = KINDS.into_iter().find(|kind| captures.name(kind).is_some()).unwrap();
        let found = captures.get(0).unwrap().as_str();
        if matches!(kind, "key" | "grant" | "time") || found == NO_COMMIT {
            return if found == NO_COMMIT { "<no commit>".to_owned() } else { format!("<{kind}>") };
        }
        let placeholder = seen.entry(found.to_owned()).or_insert_with(|| {
            let count = counts.entry(kind).or_default();
            *count += 1;
            format!("<{kind} {count}>")
        });
        placeholder.clone()
    });
    replaced.into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{redact, redacted_lines};

    #[test]
    fn what_differs_between_runs_becomes_a_placeholder_and_equal_things_equal_ones() {
        let (a, b) = ("0198c5f0-0000-7000-8000-000000000001", "0198c5f0-0000-7000-8000-000000000002");
        let text = format!("{a} {b} headless-{a} 2026-11-20T12:03:04.123Z http://127.0.0.1:80/x 7");
        assert_eq!(redact(&text), "<id 1> <id 2> headless-<id 1> <time> <url 1>/x 7");
        let key = format!("svc_ak_live_{}", "a".repeat(43));
        assert_eq!(redact(&format!("{key} svc_gr_a.b-c_d")), "<key> <grant>");
        assert_eq!(redact(&format!("{} {}", "0".repeat(40), "1f".repeat(20))), "<no commit> <hash 1>");
    }

    #[test]
    fn json_is_broken_where_it_is_too_wide_and_nowhere_else() {
        assert_eq!(redacted_lines(&json!({ "a": [1, { "b": null }] })), r#"{"a":[1,{"b":null}]}"#);
        let (short, long) = ("x".repeat(40), "y".repeat(100));
        let expected = format!("{{\n  \"a\": [\"{short}\"],\n  \"b\": [\n    \"{long}\",\n    7\n  ]\n}}");
        assert_eq!(redacted_lines(&json!({ "a": [short], "b": [long, 7] })), expected);
    }
}
