//! Whole numbers that are written with a fraction or an exponent, as `1.0` and `3e2`. JSON Schema takes them for integers;
//! serde does not. Inputs with one where an integer is asked are read again without the fraction.

use serde_json::Value;

use crate::contract::json_text;

/// The greatest whole number up to which floating point numbers are exact: 2^53.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// True if serde refused a number with a fraction or an exponent where it expected an integer.
pub(crate) fn is_asked_for(message: &str) -> bool {
    message.starts_with("invalid type: floating point")
}

/// A JSON text with its whole numbers as integers; `None` if it has none of these, or repeats a field.
pub(crate) fn rewrite(text: &[u8]) -> Option<Vec<u8>> {
    let (value, repeated) = json_text::read(text)?;
    if !repeated.is_empty() {
        return None;
    }
    serde_json::to_vec(&integers(&value)?).ok()
}

/// A value with its whole numbers as integers; `None` if it has none.
pub(crate) fn integers(value: &Value) -> Option<Value> {
    if !has_whole(value) {
        return None;
    }
    let mut value = value.clone();
    convert(&mut value);
    Some(value)
}

/// A number as an integer, if it is whole and written otherwise.
pub fn integer(number: &serde_json::Number) -> Option<i64> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    // The text of a whole float has no fraction, and no exponent.
    if float.abs() <= EXACT_MAX && float.fract() == 0.0 { format!("{float:.0}").parse().ok() } else { None }
}

fn has_whole(value: &Value) -> bool {
    match value {
        Value::Number(number) => integer(number).is_some(),
        Value::Array(values) => values.iter().any(has_whole),
        Value::Object(fields) => fields.values().any(has_whole),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

fn convert(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(integer) = integer(number) {
                *number = integer.into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(convert),
        Value::Object(fields) => fields.values_mut().for_each(convert),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{integers, rewrite};

    #[test]
    fn whole_numbers_become_integers_at_any_depth_and_others_stay() {
        let value =
            json!({ "a": [1.0, { "b": -0.0, "c": 1.5 }], "d": 300.0, "e": 1e300, "f": "1.0", "g": 7 });
        let expected = json!({ "a": [1, { "b": 0, "c": 1.5 }], "d": 300, "e": 1e300, "f": "1.0", "g": 7 });
        assert_eq!(integers(&value), Some(expected));
        assert_eq!(integers(&json!({ "a": 1, "b": 0.5, "e": 1e300 })), None);
        assert_eq!(integers(&json!(9_007_199_254_740_992.0)), Some(json!(9_007_199_254_740_992_i64)));
        assert_eq!(integers(&json!(9_007_199_254_740_994.0)), None);
    }

    #[test]
    fn a_text_that_repeats_a_field_is_left_to_its_refusal() {
        assert_eq!(rewrite(br#"{"a":1.0}"#).as_deref(), Some(&br#"{"a":1}"#[..]));
        assert_eq!(rewrite(br#"{"a":1.0,"a":2}"#), None);
        assert_eq!(rewrite(br#"{"a":1}"#), None);
    }
}
