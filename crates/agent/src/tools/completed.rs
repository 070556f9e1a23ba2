//! Schemas with all that providers of models require. A valid schema may lack it, and one schema that a provider refuses
//! stops the whole run.

use serde_json::{Map, Value, json};

/// Most levels of a schema that are completed.
const MAX_DEPTH: usize = 32;
/// Keywords whose values are no schemas.
const DATA: [&str; 5] = ["default", "const", "enum", "examples", "required"];
/// Keywords whose values are schemas by name.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// The types of JSON Schema.
const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Adds the properties of objects and the items of arrays, and removes keywords whose values are of another type than the
/// specification's. True if that changed anything.
pub(super) fn complete(schema: &mut Value) -> bool {
    complete_within(schema, 0)
}

/// A schema with what [`complete`] adds.
pub(crate) fn completed(schema: Map<String, Value>) -> Map<String, Value> {
    let mut schema = Value::Object(schema);
    complete(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Visits all schemas within a schema, itself included.
pub(super) fn visit(schema: &mut Value, work: &mut impl FnMut(&mut Map<String, Value>)) {
    visit_within(schema, 0, work);
}

fn visit_within(schema: &mut Value, depth: usize, work: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(fields) = schema else { return };
    if depth == MAX_DEPTH {
        return;
    }
    work(fields);
    for part in parts(fields) {
        visit_within(part, depth + 1, work);
    }
}

/// The schemas directly within a schema.
fn parts(fields: &mut Map<String, Value>) -> Vec<&mut Value> {
    let mut parts = Vec::new();
    for (keyword, value) in fields.iter_mut().filter(|(keyword, _)| !DATA.contains(&keyword.as_str())) {
        let is_named = NAMED.contains(&keyword.as_str());
        match value {
            Value::Array(list) => parts.extend(list.iter_mut()),
            schema @ Value::Object(_) if !is_named => parts.push(schema),
            schemas => parts.extend(schemas.as_object_mut().into_iter().flat_map(Map::values_mut)),
        }
    }
    parts
}

fn complete_within(schema: &mut Value, depth: usize) -> bool {
    if *schema == Value::Bool(true) {
        *schema = json!({});
        return true;
    }
    let Value::Object(fields) = schema else { return false };
    if depth == MAX_DEPTH {
        return false;
    }
    let keywords = fields.len();
    fields.retain(|keyword, value| is_valid(keyword, value));
    let mut is_changed = fields.len() != keywords;
    let is = |fields: &Map<String, Value>, kind: &str| match fields.get("type") {
        Some(Value::Array(kinds)) => kinds.contains(&json!(kind)),
        told => told.is_some_and(|told| told == kind),
    };
    if is(fields, "object") && !fields.contains_key("properties") {
        fields.insert("properties".to_owned(), json!({}));
        is_changed = true;
    }
    if is(fields, "array") && !matches!(fields.get("items"), Some(Value::Object(_) | Value::Bool(false))) {
        // Older drafts list the items of a tuple here.
        if let Some(items @ Value::Array(_)) = fields.insert("items".to_owned(), json!({})) {
            fields.entry("prefixItems").or_insert(items);
        }
        is_changed = true;
    }
    for part in parts(fields) {
        is_changed |= complete_within(part, depth + 1);
    }
    is_changed
}

/// True if a keyword may have this value. Providers refuse keywords of older drafts, which have other types.
fn is_valid(keyword: &str, value: &Value) -> bool {
    let is_type = |value: &Value| value.as_str().is_some_and(|kind| TYPES.contains(&kind));
    let is_filled = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
    match keyword {
        "type" => is_type(value) || is_filled(value) && value.as_array().into_iter().flatten().all(is_type),
        "required" => is_list_of_names(value),
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            value.is_object()
        }
        "enum" | "anyOf" | "oneOf" | "allOf" | "prefixItems" => is_filled(value),
        "description" | "title" | "format" | "pattern" | "$ref" => value.is_string(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength"
        | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => value.is_number(),
        _ => true,
    }
}

/// True for a list of texts that are all different.
fn is_list_of_names(value: &Value) -> bool {
    let Some(names) = value.as_array() else { return false };
    names
        .iter()
        .enumerate()
        .all(|(at, name)| name.is_string() && names.iter().skip(at + 1).all(|other| other != name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::complete;

    #[test]
    fn what_providers_require_is_added_and_what_they_refuse_is_removed() {
        let text = json!({ "type": "string" });
        for (schema, expected) in [
            (json!({ "type": "object" }), json!({ "type": "object", "properties": {} })),
            (json!({ "type": ["object", "null"] }), json!({ "type": ["object", "null"], "properties": {} })),
            (json!({ "type": ["array", "null"] }), json!({ "type": ["array", "null"], "items": {} })),
            (json!({ "type": "array", "items": true }), json!({ "type": "array", "items": {} })),
            (
                json!({ "type": "array", "items": [text] }),
                json!({ "type": "array", "items": {}, "prefixItems": [text] }),
            ),
            (
                json!({ "properties": { "default": { "type": "array" }, "any": true } }),
                json!({ "properties": { "default": { "type": "array", "items": {} }, "any": {} } }),
            ),
            (
                json!({ "anyOf": [{ "type": "array" }] }),
                json!({ "anyOf": [{ "type": "array", "items": {} }] }),
            ),
            (
                json!({ "type": "any", "required": true, "exclusiveMinimum": true, "description": null, "enum": [] }),
                json!({}),
            ),
            (
                json!({ "required": ["a", "a"], "default": { "type": "array" } }),
                json!({ "default": { "type": "array" } }),
            ),
        ] {
            let mut completed = schema.clone();
            assert!(complete(&mut completed), "{schema}");
            assert_eq!(completed, expected, "{schema}");
            assert!(!complete(&mut completed), "{schema}");
        }
        let whole: Value = json!({
            "type": "object", "properties": { "a": { "type": "array", "items": text } }, "required": ["a"],
            "additionalProperties": true,
        });
        assert!(!complete(&mut whole.clone()));
    }
}
