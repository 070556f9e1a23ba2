//! Examples for the OpenAPI documents, out of real requests and answers.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::collections::{BTreeMap, HashMap};

use regex_lite::{Captures, Regex};
use serde_json::{Map, Value, json};

use crate::answer::VOLATILE;

/// Longest example, in bytes of JSON. Readers look at its form, not at all of it.
const LONGEST_BYTES: usize = 2_000;
/// The masks of keys, the addresses of calendars, and the secrets of invitations.
const SECRETS: &str = concat!(
    r"(?<mask>svc_ak_(?:live|test)_…)[0-9A-Za-z]{4}\b",
    r"|(?<calendar>https?://[^/]+/api/v2/calendars/svc_cf_)[0-9A-Za-z]{43}",
    r"|svc_iv_[0-9A-Za-z]{43}",
);
/// Longest text of words or of JSON in an example, in characters. Keys, hashes and addresses are whole.
const TEXT_MAX_CHARS: usize = 64;
/// Shown for a cursor, which is opaque and differs between runs.
const CURSOR: &str = "bmV4dA";

/// The examples of a plane by operation: `request` and `answer`, where they are JSON.
#[derive(Default)]
pub struct Examples(BTreeMap<String, Value>);

impl Examples {
    /// Takes a success as the operation's example, if it shows more than the one before.
    pub fn add(&mut self, operation: &str, request: Option<&Value>, answer: Option<&Value>) {
        let mut example = Map::new();
        example.extend(request.map(|request| ("request".to_owned(), shortened(request))));
        example.extend(answer.map(|answer| ("answer".to_owned(), shortened(answer))));
        let text = stable(&Value::Object(example.clone()).to_string());
        let known = self.0.get(operation).map_or(0, |known| known.to_string().len());
        if !example.is_empty() && text.len() > known && text.len() <= LONGEST_BYTES {
            self.0.insert(operation.to_owned(), serde_json::from_str(&text).unwrap());
        }
    }

    /// The file that the plane includes.
    pub fn file(&self) -> String {
        serde_json::to_string_pretty(&self.0).unwrap() + "\n"
    }
}

/// The value with lists of one element and short texts. Addresses are whole, and so are lists of numbers: points.
fn shortened(value: &Value) -> Value {
    match value {
        Value::Array(items) if items.iter().all(Value::is_number) => value.clone(),
        Value::Array(items) => items.iter().take(1).map(shortened).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), field(name, value))).collect())
        }
        Value::String(text) if text.chars().count() > TEXT_MAX_CHARS && text.contains([' ', '"']) => {
            json!(text.chars().take(TEXT_MAX_CHARS).collect::<String>())
        }
        value => value.clone(),
    }
}

/// The value of a field, shortened; a cursor as [`CURSOR`].
fn field(name: &str, value: &Value) -> Value {
    match value {
        Value::String(_) if name == "cursor" || name == "nextCursor" => json!(CURSOR),
        value => shortened(value),
    }
}

/// Replaces what differs between runs by values of the same form, and equal things by equal ones.
fn stable(text: &str) -> String {
    let secrets = Regex::new(SECRETS).unwrap();
    let text = &secrets.replace_all(text, |found: &Captures<'_>| {
        match (found.name("mask"), found.name("calendar")) {
            (Some(mask), _) => format!("{}a1B2", mask.as_str()),
            (None, Some(_)) => "https://atelier.example/api/v2/calendars/svc_cf_…".to_owned(),
            (None, None) => "svc_iv_…".to_owned(),
        }
    });
    let mut ids: HashMap<String, usize> = HashMap::new();
    let volatile = Regex::new(VOLATILE).unwrap();
    let replaced = volatile.replace_all(text, |captures: &Captures<'_>| {
        let found = captures.get(0).unwrap().as_str();
        let next = ids.len() + 1;
        let number = *ids.entry(found.to_owned()).or_insert(next);
        let is = |kind: &str| captures.name(kind).is_some();
        match () {
            () if is("key") => "svc_ak_live_…".to_owned(),
            () if is("grant") => "svc_gr_…".to_owned(),
            () if is("id") => format!("0198c5f0-7c1a-7e2b-9d3c-{number:012}"),
            () if is("time") => "2026-11-02T09:00:00.000Z".to_owned(),
            () if is("url") => "https://data.example".to_owned(),
            () => format!("5f70bf18a086007016e948b04aed3b82{number:08}"),
        }
    });
    replaced.into_owned()
}
