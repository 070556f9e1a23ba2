//! Schemas as small as a model needs them. The service checks every argument by the full schema and names each broken
//! rule, so bounds and formats are left out here.

use serde_json::{Map, Value, json};

/// Prefix of a reference within a schema.
const DEFINITIONS: &str = "#/$defs/";
/// The keywords that are kept as they are.
const KEPT: [&str; 6] = ["type", "enum", "const", "required", "minimum", "maximum"];
/// Longest definition that is written in each place that refers to it, in bytes.
const INLINED_BYTES: usize = 200;

/// Cuts a schema down to types, values and short descriptions, and writes small definitions where they are used.
pub(super) fn compact(mut schema: Map<String, Value>) -> Map<String, Value> {
    let definitions = match schema.remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    let mut definitions: Map<String, Value> =
        definitions.into_iter().map(|(name, definition)| (name, cut(&definition))).collect();
    let mut schema = cut(&Value::Object(schema));
    // An inlined definition may refer to another small one.
    while let Some(name) = inlinable(&schema, &definitions) {
        let Some(definition) = definitions.remove(&name) else { break };
        inline(&mut schema, &name, &definition);
        for other in definitions.values_mut() {
            inline(other, &name, &definition);
        }
    }
    for part in definitions.values_mut().chain([&mut schema]) {
        leave_to_field(part);
    }
    let mut schema = schema.as_object_mut().map(std::mem::take).unwrap_or_default();
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

/// The schema with the keywords that a model needs.
fn cut(schema: &Value) -> Value {
    let Some(schema) = schema.as_object() else { return any() };
    let mut kept = Map::new();
    for (keyword, value) in schema {
        let value = match (keyword.as_str(), value) {
            ("description", Value::String(text)) => json!(first_sentence(text)),
            ("properties", Value::Object(fields)) => {
                fields.iter().map(|(name, field)| (name.clone(), cut(field))).collect()
            }
            ("items", items) => cut(items),
            ("additionalProperties", rest @ Value::Object(_)) => cut(rest),
            ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => parts.iter().map(cut).collect(),
            ("$ref", target) => target.clone(),
            (keyword, value) if KEPT.contains(&keyword) => value.clone(),
            _ => continue,
        };
        kept.insert(keyword.clone(), value);
    }
    kept.retain(|keyword, value| {
        keyword != "required" || value.as_array().is_none_or(|names| !names.is_empty())
    });
    split_types(&mut kept);
    let says_nothing = kept.keys().all(|keyword| keyword == "description");
    if says_nothing && let Value::Object(any) = any() {
        kept.extend(any);
    }
    Value::Object(kept)
}

/// Writes several types as alternatives, which every dialect of schemas has.
fn split_types(schema: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = schema.get("type") else { return };
    let types = types.clone();
    let description = schema.remove("description");
    schema.remove("type");
    let alternative = |name: &Value| match name.as_str() {
        Some("null") => json!({ "type": "null" }),
        _ => {
            let mut alternative = schema.clone();
            alternative.insert("type".to_owned(), name.clone());
            if let Some(values) = alternative.get_mut("enum").and_then(Value::as_array_mut) {
                values.retain(|value| !value.is_null());
            }
            Value::Object(alternative)
        }
    };
    let alternatives: Vec<Value> = types.iter().map(alternative).collect();
    schema.clear();
    schema.extend(description.map(|description| ("description".to_owned(), description)));
    schema.insert("anyOf".to_owned(), json!(alternatives));
}

/// Any value. A schema without a keyword is refused by some clients.
fn any() -> Value {
    let types = ["object", "array", "string", "number", "boolean", "null"];
    json!({ "anyOf": types.map(|name| json!({ "type": name })) })
}

/// A definition that is small, or that one place refers to, and that doesn't contain itself.
fn inlinable(schema: &Value, definitions: &Map<String, Value>) -> Option<String> {
    let uses = |name: &str| {
        let elsewhere: usize = definitions.values().map(|other| references(other, name)).sum();
        references(schema, name) + elsewhere
    };
    let is_inlinable = |(name, definition): &(&String, &Value)| {
        references(definition, name) == 0
            && (uses(name) <= 1 || definition.to_string().len() <= INLINED_BYTES)
    };
    definitions.iter().find(is_inlinable).map(|(name, _)| name.clone())
}

/// The number of places in a schema that refer to a definition.
fn references(schema: &Value, name: &str) -> usize {
    match schema {
        Value::Object(fields) => {
            let own = usize::from(target(fields) == Some(name));
            own + fields.values().map(|value| references(value, name)).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(|item| references(item, name)).sum(),
        _ => 0,
    }
}

/// Replaces the references to a definition. A description beside a reference takes the place of the definition's own.
fn inline(schema: &mut Value, name: &str, definition: &Value) {
    match schema {
        Value::Object(fields) => {
            if target(fields) == Some(name) {
                fields.remove("$ref");
                for (keyword, value) in definition.as_object().into_iter().flatten() {
                    fields.entry(keyword.clone()).or_insert_with(|| value.clone());
                }
            }
            fields.values_mut().for_each(|value| inline(value, name, definition));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| inline(item, name, definition)),
        _ => {}
    }
}

/// Removes the description of the one alternative to null beside the field's own: it tells of the type in general.
fn leave_to_field(schema: &mut Value) {
    if let Some([one, null]) = schema.get("anyOf").and_then(Value::as_array).map(Vec::as_slice)
        && null.get("type") == Some(&json!("null"))
        && one.get("description").is_some()
        && schema.get("description").is_some()
        && let Some(one) = schema.pointer_mut("/anyOf/0").and_then(Value::as_object_mut)
    {
        one.remove("description");
    }
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(leave_to_field),
        Value::Array(items) => items.iter_mut().for_each(leave_to_field),
        _ => {}
    }
}

/// The name of the definition that a schema refers to.
fn target(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(DEFINITIONS)
}

fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    text.get(..end).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::compact;

    fn compacted(schema: &Value) -> Value {
        Value::Object(compact(schema.as_object().unwrap().clone()))
    }

    #[test]
    fn bounds_and_further_sentences_go_and_small_definitions_move_to_their_uses() {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": [],
            "properties": {
                "pattern": { "$ref": "#/$defs/Name", "description": "The pattern. It is long." },
                "data": { "description": "Free." },
                "free": true,
            },
            "$defs": { "Name": { "type": "string", "maxLength": 255, "description": "A name." } },
        });
        let any =
            ["object", "array", "string", "number", "boolean", "null"].map(|name| json!({ "type": name }));
        let expected = json!({
            "type": "object",
            "properties": {
                "pattern": { "description": "The pattern.", "type": "string" },
                "data": { "description": "Free.", "anyOf": any },
                "free": { "anyOf": any },
            },
        });
        assert_eq!(compacted(&schema), expected);
    }

    #[test]
    fn a_field_that_may_be_null_has_its_own_description_alone() {
        let id = json!({ "type": "string", "description": "A sprint of a team." });
        let field = |description| {
            let reference = json!({ "$ref": "#/$defs/SprintId" });
            json!({ "anyOf": [reference, { "type": "null" }], "description": description })
        };
        let schema = json!({ "type": "object", "properties": { "sprint": field("Its sprint.") },
            "$defs": { "SprintId": id } });
        let expected =
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "description": "Its sprint." });
        assert_eq!(compacted(&schema)["properties"]["sprint"], expected);
    }

    #[test]
    fn several_types_become_alternatives() {
        let schema = json!({ "type": "object", "properties": {
            "color": { "type": ["string", "null"], "enum": ["red", null], "description": "Its color." },
        } });
        let color = json!({
            "description": "Its color.",
            "anyOf": [{ "type": "string", "enum": ["red"] }, { "type": "null" }],
        });
        assert_eq!(compacted(&schema)["properties"]["color"], color);
    }

    #[test]
    fn a_definition_that_contains_itself_stays() {
        let node = json!({ "type": "object", "properties": { "left": { "$ref": "#/$defs/Node" } } });
        let schema = json!({ "type": "object", "properties": { "root": { "$ref": "#/$defs/Node" } },
            "$defs": { "Node": node } });
        assert_eq!(compacted(&schema), schema);
    }
}
