//! Fields of an answer that nothing here reads, put together of pieces, so that they go back as they came: reasoning,
//! signatures, and fields that only their server knows.

use serde_json::{Map, Value};

use crate::models::json::joined;

/// Fields that say the same in each piece, or come whole.
const WHOLE: [&str; 9] = ["id", "type", "role", "name", "index", "format", "object", "model", "signature"];

/// Adds the fields of a piece to those before.
pub(super) fn merge(known: &mut Map<String, Value>, piece: &Map<String, Value>) {
    for (name, value) in piece {
        match known.get_mut(name) {
            Some(known) => merge_value(name, known, value),
            None => {
                known.insert(name.clone(), merged_alone(value));
            }
        }
    }
}

/// The value without what PostgreSQL can't store, and without halves of characters.
pub(super) fn storable(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(joined(&text).replace('\0', "")),
        Value::Array(values) => values.into_iter().map(storable).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| (joined(&name).replace('\0', ""), storable(value));
            fields.into_iter().map(field).collect::<Map<_, _>>().into()
        }
        value => value,
    }
}

fn merge_value(name: &str, known: &mut Value, piece: &Value) {
    match (known, piece) {
        (_, Value::Null) => {}
        (Value::Object(known), Value::Object(piece)) => merge(known, piece),
        (Value::Array(known), Value::Array(piece)) => piece.iter().for_each(|item| merge_item(known, item)),
        (Value::String(known), Value::String(piece)) if !WHOLE.contains(&name) => known.push_str(piece),
        (Value::String(_), Value::String(piece)) if piece.is_empty() => {}
        (known, piece) => *known = piece.clone(),
    }
}

/// The first piece of a value. Its own items may be pieces of one.
fn merged_alone(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut merged = Vec::new();
            items.iter().for_each(|item| merge_item(&mut merged, item));
            Value::Array(merged)
        }
        value => value.clone(),
    }
}

/// Adds an item of a list, which may be a piece of an item before: of the one with its number, or of the last one.
fn merge_item(items: &mut Vec<Value>, piece: &Value) {
    let field = |item: &Value, name: &str| item.get(name).filter(|value| !value.is_null()).cloned();
    let is_other = |item: &Value, name: &str| {
        let (known, piece) = (field(item, name), field(piece, name));
        known.is_some() && piece.is_some() && known != piece
    };
    let place = match field(piece, "index") {
        Some(index) => items.iter().rposition(|item| field(item, "index").as_ref() == Some(&index)),
        None => items.len().checked_sub(1).filter(|_| piece.get("type").is_some()),
    };
    let known = place.and_then(|place| items.get_mut(place));
    match (known, piece) {
        (Some(Value::Object(known)), Value::Object(fields))
            if !is_other(&Value::Object(known.clone()), "type")
                && !is_other(&Value::Object(known.clone()), "id") =>
        {
            merge(known, fields);
        }
        _ => items.push(piece.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{merge, storable};

    fn merged(pieces: &[Value]) -> Value {
        let mut known = Map::new();
        pieces.iter().for_each(|piece| merge(&mut known, piece.as_object().unwrap()));
        Value::Object(known)
    }

    #[test]
    fn pieces_of_fields_are_put_together() {
        let detail = |fields: Value| json!({ "reasoning_details": [fields] });
        for (pieces, whole) in [
            (
                vec![
                    json!({ "role": "assistant", "reasoning_content": "I " }),
                    json!({ "role": "assistant", "reasoning_content": "see." }),
                ],
                json!({ "role": "assistant", "reasoning_content": "I see." }),
            ),
            (
                vec![json!({ "reasoning": null }), json!({ "reasoning": "a" }), json!({ "reasoning": null })],
                json!({ "reasoning": "a" }),
            ),
            (
                vec![
                    detail(
                        json!({ "type": "reasoning.text", "index": 0, "text": "a", "format": "f", "signature": null }),
                    ),
                    detail(json!({ "type": "reasoning.text", "index": 0, "text": "b", "format": "f" })),
                    detail(json!({ "type": "reasoning.text", "index": 0, "signature": "SIG" })),
                    detail(json!({ "type": "reasoning.encrypted", "index": 1, "id": "r1", "data": "X" })),
                ],
                json!({ "reasoning_details": [
                { "type": "reasoning.text", "index": 0, "text": "ab", "format": "f", "signature": "SIG" },
                { "type": "reasoning.encrypted", "index": 1, "id": "r1", "data": "X" },
            ] }),
            ),
            (
                vec![
                    detail(json!({ "type": "reasoning.text", "text": "a" })),
                    detail(json!({ "type": "reasoning.text", "text": "b" })),
                    detail(json!({ "type": "reasoning.encrypted", "id": "1", "data": "x" })),
                    detail(json!({ "type": "reasoning.encrypted", "id": "2", "data": "y" })),
                ],
                json!({ "reasoning_details": [
                { "type": "reasoning.text", "text": "ab" },
                { "type": "reasoning.encrypted", "id": "1", "data": "x" }, { "type": "reasoning.encrypted", "id": "2", "data": "y" },
            ] }),
            ),
            (
                vec![
                    json!({ "extra_content": { "google": { "thought_signature": "S" } } }),
                    json!({ "extra_content": {} }),
                ],
                json!({ "extra_content": { "google": { "thought_signature": "S" } } }),
            ),
            (
                vec![json!({ "n": 1, "tags": ["a"] }), json!({ "n": 2, "tags": ["b"] })],
                json!({ "n": 2, "tags": ["a", "b"] }),
            ),
        ] {
            assert_eq!(merged(&pieces), whole);
        }
    }

    #[test]
    fn what_can_not_be_stored_is_left_out() {
        assert_eq!(storable(json!({ "a\0": ["b\0c", 1] })), json!({ "a": ["bc", 1] }));
    }
}
