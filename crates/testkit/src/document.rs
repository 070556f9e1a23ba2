//! Reading OpenAPI documents.

#![expect(clippy::panic, reason = "a test's helper fails by panicking")]

use serde_json::Value;

/// The target of a reference; a value that is no reference is its own.
///
/// # Panics
/// The reference leads nowhere.
pub fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(place) => {
            document.pointer(place.trim_start_matches('#')).unwrap_or_else(|| panic!("{place} leads nowhere"))
        }
        None => value,
    }
}

/// The parameters of an operation, in their order.
pub fn parameters(document: &Value, operation: &Value) -> Vec<Value> {
    let all = operation["parameters"].as_array().into_iter().flatten();
    all.map(|parameter| resolve(document, parameter).clone()).collect()
}

/// The example of a body or an answer, at itself or at its type; null without.
pub fn example<'a>(document: &'a Value, media: &'a Value) -> &'a Value {
    match &media["example"] {
        Value::Null => resolve(document, &media["schema"]).pointer("/examples/0").unwrap_or(&Value::Null),
        example => example,
    }
}
