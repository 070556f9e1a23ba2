//! A server's own words about a failure: found in the many forms of errors, short, in one line, and without secrets.

use domain::Error;
use serde_json::{Map, Value};

use crate::models::failed;

/// Longest text of a failure, in characters.
const MAX_CHARS: usize = 500;
/// Shortest secret that is looked for. Shorter ones are placeholders for servers that need none.
const SECRET_MIN_BYTES: usize = 5;
/// Beginnings of keys that servers repeat.
const KEY_PREFIXES: [&str; 9] = ["sk-", "sk_", "gsk_", "xai-", "hf_", "AIza", "svc_ak_", "svc_gr_", "eyJ"];
/// Fields that hold an error's text, or an error, the best first.
const TEXT_FIELDS: [&str; 8] =
    ["message", "Message", "msg", "detail", "error", "title", "description", "reason"];
/// Fields that hold an error's kind.
const KIND_FIELDS: [&str; 3] = ["type", "code", "status"];
const MASK: &str = "[masked]";

/// Texts that no message may hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// These texts, and all texts within `values`.
    pub(super) fn new<'a>(
        texts: impl IntoIterator<Item = &'a str>,
        values: impl IntoIterator<Item = &'a Value>,
    ) -> Self {
        let mut secrets: Vec<String> = texts.into_iter().map(str::to_owned).collect();
        let mut ahead: Vec<&Value> = values.into_iter().collect();
        while let Some(value) = ahead.pop() {
            match value {
                Value::String(text) => secrets.push(text.clone()),
                Value::Array(items) => ahead.extend(items),
                Value::Object(fields) => ahead.extend(fields.values()),
                _ => {}
            }
        }
        secrets.retain(|secret| secret.len() >= SECRET_MIN_BYTES);
        // A secret may be the beginning of another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets)
    }

    /// The beginning of a text in one line, without secrets.
    pub(super) fn clean(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.0 {
            text = text.replace(secret.as_str(), MASK);
        }
        let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let line = words.map(masked).collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(MAX_CHARS) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }

    /// The failure of a run, with the server's own words if there are any.
    pub(super) fn failure(&self, what: &str, words: &str) -> Error {
        match self.clean(words) {
            words if words.is_empty() => failed(format!("{what}.")),
            words => failed(format!("{what}: {words}")),
        }
    }
}

/// A word with keys masked.
fn masked(word: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '=');
    let mut masked = String::with_capacity(word.len());
    let mut rest = word;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(length);
        let is_key = part.len() >= 16 && KEY_PREFIXES.iter().any(|prefix| part.starts_with(prefix));
        masked.push_str(if is_key { MASK } else { part });
        let separators = after.find(is_part).unwrap_or(after.len());
        let (between, next) = after.split_at(separators);
        masked.push_str(between);
        rest = next;
    }
    masked
}

/// The words of an error that an event, or an answer with status 200, is or holds.
pub(super) fn of_error(said: &Value) -> Option<String> {
    let said = match said {
        Value::Array(items) => items.first()?,
        said => said,
    };
    let is_told = |error: &&Value| match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    };
    let choice = || said.get("choices")?.get(0);
    let within = said.get("error").filter(is_told);
    let within = within.or_else(|| said.get("errors").filter(is_told));
    let within = within.or_else(|| choice()?.get("error").filter(is_told));
    if let Some(error) = within {
        return Some(of_value(error));
    }
    let is = |field: &str, value: &str| said.get(field).and_then(Value::as_str) == Some(value);
    let is_bare = ["choices", "type", "usage"].iter().all(|field| said.get(field).is_none())
        && ["message", "Message", "msg", "detail"]
            .iter()
            .any(|field| said.get(field).is_some_and(|text| !text.is_object()));
    (is("type", "error") || is("object", "error") || is_bare).then(|| of_value(said))
}

/// The words of the body of a refusal.
pub(super) fn of_body(body: &str) -> String {
    match serde_json::from_str::<Value>(body) {
        Ok(said) => of_error(&said).unwrap_or_else(|| of_value(&said)),
        Err(_) if body.trim_start().starts_with('<') => without_tags(body),
        Err(_) => body.to_owned(),
    }
}

/// The words of an error in any form.
fn of_value(error: &Value) -> String {
    match error {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().take(3).map(of_value).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let text = first(fields, &TEXT_FIELDS);
            let kind = first(fields, &KIND_FIELDS).filter(|kind| kind != "error");
            match (text, kind) {
                (Some(text), Some(kind)) if !text.contains(&kind) => format!("{text} ({kind})"),
                (Some(text), _) | (None, Some(text)) => text,
                (None, None) => error.to_string(),
            }
        }
        other => other.to_string(),
    }
}

/// The words of the first of these fields that has any.
fn first(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let told = names.iter().filter_map(|name| fields.get(*name)).filter(|value| !value.is_null());
    told.map(of_value).find(|text| !text.is_empty())
}

/// The text of a page.
fn without_tags(page: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for character in page.chars() {
        match character {
            '<' => (is_tag, _) = (true, text.push(' ')),
            '>' => is_tag = false,
            _ if is_tag => {}
            _ => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{MAX_CHARS, Secrets, of_body, of_error};

    #[test]
    fn errors_are_told_in_every_form_and_answers_are_no_errors() {
        for (said, words) in [
            (
                json!({ "error": { "message": "Overloaded", "type": "server_error" } }),
                Some("Overloaded (server_error)"),
            ),
            (json!({ "error": "no memory" }), Some("no memory")),
            (json!({ "error": { "error": { "message": "inner" } } }), Some("inner")),
            (
                json!([{ "error": { "code": 400, "message": "bad key", "status": "INVALID" } }]),
                Some("bad key (400)"),
            ),
            (json!({ "object": "error", "message": "too long", "code": 400 }), Some("too long (400)")),
            (json!({ "type": "error", "error": { "type": "overloaded_error" } }), Some("overloaded_error")),
            (json!({ "type": "error", "message": "stopped" }), Some("stopped")),
            (json!({ "detail": [{ "msg": "field required", "loc": ["body"] }] }), Some("field required")),
            (json!({ "code": "InvalidParameter", "message": "no" }), Some("no (InvalidParameter)")),
            (
                json!({ "success": false, "errors": [{ "code": 7003, "message": "route" }] }),
                Some("route (7003)"),
            ),
            (
                json!({ "choices": [{ "finish_reason": "error", "error": { "code": 502, "message": "gone" } }] }),
                Some("gone (502)"),
            ),
            (json!({ "choices": [], "error": null }), None),
            (json!({ "choices": [], "error": {}, "message": "" }), None),
            (json!({ "type": "message_start", "message": { "usage": {} } }), None),
            (json!({ "usage": { "total_tokens": 5 }, "message": null }), None),
            (json!({}), None),
        ] {
            assert_eq!(of_error(&said).as_deref(), words, "{said}");
        }
        assert_eq!(of_body("upstream is down"), "upstream is down");
        let secrets = Secrets::default();
        assert_eq!(secrets.clean(&of_body("<html><h1>502</h1>\n Bad  Gateway</html>")), "502 Bad Gateway");
        assert_eq!(of_body(r#"{"message": "no such model"}"#), "no such model");
    }

    #[test]
    fn words_are_one_short_line_without_secrets() {
        let fields = json!({ "user": ["team-token"], "n": 1 });
        let secrets = Secrets::new(["secret-key", "secret", "none"], [&fields]);
        let said = secrets
            .clean("none\u{0}of \"secret-key\",\r\nsecret team-token sk-proj-0123456789abcdef! sk-short");
        assert_eq!(said, "none of \"[masked]\", [masked] [masked] [masked]! sk-short");
        let long = secrets.clean(&"é".repeat(MAX_CHARS + 1));
        assert_eq!(long.chars().count(), MAX_CHARS + 1);
        assert!(long.ends_with('…'));
    }
}
