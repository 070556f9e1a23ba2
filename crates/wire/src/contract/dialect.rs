//! The dialect of JSON Schema that documents and tools publish. Generators of clients read schemas as schemars writes
//! them in part only: a list of values as alternatives, a boolean as a schema, or an unregistered format stops them.
//! Input is validated by the schemas as schemars writes them.

use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Value, json};

/// The formats of texts and bytes that every generator knows. Others are published as `x-format`.
const STANDARD_FORMATS: [&str; 7] = ["uuid", "date-time", "uri", "binary", "int32", "int64", "double"];
/// The formats of Rust's other integers, with the standard format that holds them and their greatest value.
const INTEGERS: [(&str, &str, Option<u32>); 6] = [
    ("uint8", "int32", Some(0xFF)),
    ("uint16", "int32", Some(0xFFFF)),
    ("uint32", "int64", Some(u32::MAX)),
    ("uint64", "int64", None),
    ("uint", "int64", None),
    ("int", "int64", None),
];

/// Marks a field of a patch that takes no `null`.
pub(super) const NOT_CLEARED: &str = "x-notCleared";

/// Rewrites a schema with everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// For schemas of requests.
    Request,
    /// For schemas of answers, in which an optional field is absent and never null.
    Answer,
}

impl Transform for Dialect {
    fn transform(&mut self, schema: &mut Schema) {
        // As the rest of an object, a boolean is understood everywhere.
        let rest = schema.get("additionalProperties").and_then(Value::as_bool);
        if rest.is_some() {
            schema.remove("additionalProperties");
        }
        transform_subschemas(self, schema);
        let fields = schema.ensure_object();
        fields.extend(rest.map(|rest| ("additionalProperties".to_owned(), json!(rest))));
        list_values(fields);
        standardise_format(fields);
        if fields.remove(NOT_CLEARED).is_some() {
            remove_null_from(fields);
        }
        if *self == Self::Answer {
            remove_null_of_optional(fields);
        }
        remove_repeated_names(fields);
    }
}

/// Writes alternatives that are single texts as one list of values.
fn list_values(schema: &mut Map<String, Value>) {
    let Some(alternatives) = schema.get("oneOf").and_then(Value::as_array) else { return };
    let (mut values, mut descriptions) = (Vec::new(), Map::new());
    for alternative in alternatives {
        if let Some(Value::String(value)) = alternative.get("const") {
            values.push(json!(value));
            let description = alternative.get("description").cloned();
            descriptions.extend(description.map(|description| (value.clone(), description)));
        } else if let Some(Value::Array(listed)) = alternative.get("enum") {
            values.extend(listed.iter().cloned());
        } else {
            return;
        }
    }
    schema.remove("oneOf");
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), Value::Array(values));
    if !descriptions.is_empty() {
        schema.insert("x-enumDescriptions".to_owned(), Value::Object(descriptions));
    }
}

/// Replaces a format that generators don't know: integers get the next wider one and their bounds.
fn standardise_format(schema: &mut Map<String, Value>) {
    let Some(format) = schema.get("format").and_then(Value::as_str) else { return };
    if let Some((_, standard, most)) = INTEGERS.iter().find(|(name, ..)| *name == format) {
        schema.insert("format".to_owned(), json!(standard));
        if let Some(most) = most {
            schema.entry("minimum").or_insert(json!(0));
            schema.entry("maximum").or_insert(json!(most));
        }
    } else if format == "int32" {
        schema.entry("minimum").or_insert(json!(i32::MIN));
        schema.entry("maximum").or_insert(json!(i32::MAX));
    } else if !STANDARD_FORMATS.contains(&format)
        && let Some(format) = schema.remove("format")
    {
        schema.insert("x-format".to_owned(), format);
    }
}

/// Removes the descriptions of fields that say no more than the names of these, as in `The name.` of `name`.
fn remove_repeated_names(schema: &mut Map<String, Value>) {
    let letters = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
    };
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for (name, field) in fields {
        let Some(field) = field.as_object_mut() else { continue };
        let Some(description) = field.get("description").and_then(Value::as_str) else { continue };
        let words = description.strip_prefix("The ").or_else(|| description.strip_prefix("Its "));
        let (said, name) = (letters(words.unwrap_or(description)), letters(name));
        if said == name || name.strip_suffix("id") == Some(&said) {
            field.remove("description");
        }
    }
}

/// Removes `null` from the fields that an answer leaves out instead.
fn remove_null_of_optional(schema: &mut Map<String, Value>) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for (_, field) in fields.filter(|(name, _)| !required.contains(&json!(name))) {
        remove_null(field);
    }
}

/// Removes `null` from the values that a schema allows.
pub(super) fn remove_null(schema: &mut Value) {
    if let Some(schema) = schema.as_object_mut() {
        remove_null_from(schema);
    }
}

fn remove_null_from(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            schema.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(alternatives)) = schema.get_mut("anyOf") {
        alternatives.retain(|one| one.get("type") != Some(&json!("null")));
        if let [one] = alternatives.as_slice() {
            let one = one.as_object().cloned().unwrap_or_default();
            schema.remove("anyOf");
            for (key, value) in one {
                schema.entry(key).or_insert(value);
            }
        }
    }
}

/// Gives each alternative of a tagged union a name of its own among `schemas`, and the union its discriminator.
pub(super) fn name_alternatives(schemas: &mut Map<String, Value>) {
    let mut named = Map::new();
    for (union, schema) in schemas.iter_mut() {
        let Some(tag) = tag(schema) else { continue };
        let mut mapping = Map::new();
        let alternatives = schema.get_mut("oneOf").and_then(Value::as_array_mut).into_iter().flatten();
        for alternative in alternatives {
            let place = format!("/properties/{tag}/const");
            let value = alternative.pointer(&place).and_then(Value::as_str).unwrap_or_default().to_owned();
            let name = format!("{union}{}", pascal_case(&value));
            let reference = format!("#/components/schemas/{name}");
            mapping.insert(value, json!(reference));
            let mut content = std::mem::replace(alternative, json!({ "$ref": reference }));
            if let Some(content) = content.as_object_mut() {
                content.insert("title".to_owned(), json!(name));
            }
            named.insert(name, content);
        }
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("discriminator".to_owned(), json!({ "propertyName": tag, "mapping": mapping }));
        }
    }
    schemas.extend(named);
}

/// The field that has another constant in each alternative of a union.
fn tag(schema: &Value) -> Option<String> {
    let alternatives = schema.get("oneOf")?.as_array()?;
    let fields = alternatives.first()?.get("properties")?.as_object()?;
    let is_tag = |name: &&String| {
        let place = format!("/properties/{name}/const");
        alternatives.iter().all(|one| one.pointer(&place).is_some_and(Value::is_string))
    };
    fields.keys().find(is_tag).cloned()
}

/// `run.status` or `tool_use` as `RunStatus` or `ToolUse`.
pub(crate) fn pascal_case(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use schemars::transform::Transform;
    use schemars::{Schema, json_schema};
    use serde_json::{Value, json};

    use super::{Dialect, name_alternatives, remove_null};

    fn published(mut schema: Schema, mut dialect: Dialect) -> Value {
        dialect.transform(&mut schema);
        schema.to_value()
    }

    #[test]
    fn documented_values_become_one_list() {
        let schema = json_schema!({ "oneOf": [
            { "type": "string", "enum": ["a", "b"] },
            { "type": "string", "const": "c", "description": "The last." },
        ] });
        assert_eq!(
            published(schema, Dialect::Request),
            json!({ "type": "string", "enum": ["a", "b", "c"], "x-enumDescriptions": { "c": "The last." } })
        );
    }

    #[test]
    fn a_boolean_is_no_schema_except_for_the_rest_of_an_object() {
        let schema = json_schema!({
            "type": "object", "additionalProperties": false, "properties": { "data": true },
        });
        assert_eq!(
            published(schema, Dialect::Request),
            json!({ "type": "object", "additionalProperties": false, "properties": { "data": {} } })
        );
    }

    #[test]
    fn formats_are_standard_and_integers_bounded() {
        for (schema, expected) in [
            (json_schema!({ "format": "uuid" }), json!({ "format": "uuid" })),
            (json_schema!({ "format": "branch" }), json!({ "x-format": "branch" })),
            (
                json_schema!({ "format": "uint32", "minimum": 1 }),
                json!({ "format": "int64", "minimum": 1, "maximum": u32::MAX }),
            ),
            (json_schema!({ "format": "uint64" }), json!({ "format": "int64" })),
            (json_schema!({ "type": ["string", "null"], "x-notCleared": true }), json!({ "type": "string" })),
            (
                json_schema!({ "type": ["string", "null"], "enum": ["a", null], "x-notCleared": true }),
                json!({ "type": "string", "enum": ["a"] }),
            ),
            (
                json_schema!({ "format": "int32", "maximum": 9 }),
                json!({ "format": "int32", "minimum": i32::MIN, "maximum": 9 }),
            ),
        ] {
            assert_eq!(published(schema, Dialect::Request), expected);
        }
    }

    #[test]
    fn an_optional_field_of_an_answer_is_never_null() {
        let schema = json_schema!({
            "properties": {
                "always": { "type": ["string", "null"] },
                "other": { "anyOf": [{ "$ref": "#/x" }, { "type": "null" }], "description": "Another one." },
                "some": { "type": ["string", "null"] },
            },
            "required": ["always"],
        });
        let answer = published(schema.clone(), Dialect::Answer);
        assert_eq!(answer["properties"]["always"]["type"], json!(["string", "null"]));
        assert_eq!(answer["properties"]["other"], json!({ "$ref": "#/x", "description": "Another one." }));
        assert_eq!(answer["properties"]["some"], json!({ "type": "string" }));
        let request = published(schema, Dialect::Request);
        assert_eq!(request["properties"]["some"]["type"], json!(["string", "null"]));
    }

    #[test]
    fn several_types_or_alternatives_beside_null_stay() {
        let mut schema =
            json!({ "type": ["string", "integer", "null"], "anyOf": [{}, {}, { "type": "null" }] });
        remove_null(&mut schema);
        assert_eq!(schema, json!({ "type": ["string", "integer"], "anyOf": [{}, {}] }));
    }

    #[test]
    fn the_alternatives_of_a_tagged_union_have_names() {
        let alternative = |op: &str| json!({ "properties": { "op": { "const": op } } });
        let union = json!({ "oneOf": [alternative("create"), alternative("run.status")] });
        let mut schemas = serde_json::Map::from_iter([("Change".to_owned(), union)]);
        name_alternatives(&mut schemas);
        let names: Vec<&str> = schemas.keys().map(String::as_str).collect();
        assert_eq!(names, ["Change", "ChangeCreate", "ChangeRunStatus"]);
        assert_eq!(schemas["ChangeCreate"]["title"], "ChangeCreate");
        assert_eq!(schemas["Change"]["oneOf"][1], json!({ "$ref": "#/components/schemas/ChangeRunStatus" }));
        assert_eq!(
            schemas["Change"]["discriminator"],
            json!({ "propertyName": "op", "mapping": {
                "create": "#/components/schemas/ChangeCreate",
                "run.status": "#/components/schemas/ChangeRunStatus",
            } })
        );
    }
}
