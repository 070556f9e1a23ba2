//! Values of answers in the forms that servers give them. A field of another form is as good as none.

use serde_json::Value;

/// A text, or a number as text.
pub(super) fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// A piece of JSON: a text of it, or the value itself.
pub(super) fn json_text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(value) => value.to_string(),
    }
}

/// The content of a message: a text, or a list of parts, of which those of text count.
pub(super) fn content(value: Option<&Value>) -> String {
    let part = |part: &Value| match part {
        Value::String(text) => text.clone(),
        part if text(part.get("type")).contains("text") => text(part.get("text")),
        _ => String::new(),
    };
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        Some(single @ Value::Object(_)) => part(single),
        _ => String::new(),
    }
}

/// The elements of a list, or the value that stands in place of a list of one.
pub(super) fn list(value: Option<&Value>) -> Vec<&Value> {
    match value {
        Some(Value::Array(values)) => values.iter().collect(),
        Some(single @ Value::Object(_)) => vec![single],
        _ => Vec::new(),
    }
}

/// A number of tokens.
pub(super) fn count(value: Option<&Value>) -> Option<i64> {
    number(value).and_then(|count| i64::try_from(count).ok())
}

/// A number from 0, also as a float or a text.
pub(super) fn number(value: Option<&Value>) -> Option<u64> {
    let float = |number: f64| format!("{:.0}", number.max(0.0)).parse().ok();
    match value? {
        Value::Number(number) => number.as_u64().or_else(|| number.as_f64().and_then(float)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{content, count, json_text, list, number, text};

    #[test]
    fn values_of_other_forms_are_as_good_as_none() {
        for (value, expected) in
            [(json!(12), Some(12)), (json!(12.0), Some(12)), (json!("12"), Some(12)), (json!(-1), Some(0))]
        {
            assert_eq!(count(Some(&value)), expected, "{value}");
        }
        for odd in [json!(null), json!([]), json!({}), json!("x"), json!(true), json!(1e300)] {
            assert_eq!(number(Some(&odd)), None, "{odd}");
        }
        let parts = json!(["a", { "type": "text", "text": "b" }, { "type": "thinking", "thinking": [] }, 5]);
        assert_eq!(content(Some(&parts)), "ab");
        assert_eq!((content(Some(&json!(5))), text(Some(&json!(5)))), (String::new(), "5".to_owned()));
        assert_eq!(json_text(Some(&json!({ "a": 1 }))), "{\"a\":1}");
        assert_eq!(
            (list(Some(&parts)).len(), list(Some(&json!({}))).len(), list(Some(&json!("x"))).len()),
            (4, 1, 0)
        );
    }
}
