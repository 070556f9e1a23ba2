//! Schemas of foreign tools in the form that all providers of models take. One schema that a provider refuses would stop
//! every run of the project. The server itself checks what it is sent.

use serde_json::{Map, Value, json};

use crate::tools::completed::complete;
use crate::tools::foreign::renamed::Renamed;

/// Largest schema, in bytes of JSON.
const MAX_BYTES: usize = 16 * 1024;
/// Most schemas within each other that are merged, and most references that follow each other.
const MAX_DEPTH: usize = 8;
/// Keywords that providers refuse at the top of a schema, and what says nothing to a model.
const REFUSED: [&str; 13] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "enum",
    "const",
    "if",
    "then",
    "else",
    "$ref",
    "$schema",
    "$id",
    "dependentSchemas",
];
/// Those of them that hold no constraint.
const WITHOUT_MEANING: [&str; 2] = ["$schema", "$id"];

/// A server's schema in the form that models take.
#[derive(Debug)]
pub(super) struct ModelSchema {
    pub(super) schema: Map<String, Value>,
    /// The bytes of the server's.
    pub(super) size: usize,
    /// The properties that have another name.
    pub(super) renamed: Renamed,
    /// True if schemas at the top were combined.
    pub(super) is_combined: bool,
    /// True if something was added that providers require, or removed that they refuse.
    pub(super) is_completed: bool,
}

/// A schema that models take.
///
/// # Errors
/// The reason why the schema can't be used.
pub(super) fn for_models(schema: &Map<String, Value>) -> Result<ModelSchema, SchemaFault> {
    let size = serde_json::to_vec(schema).map_or(usize::MAX, |json| json.len());
    if size > MAX_BYTES {
        return Err(SchemaFault::TooLarge);
    }
    let merged = Merged::of(schema, schema, 0).ok_or(SchemaFault::NoObject)?;
    let is_combined = merged.is_combined
        || schema
            .keys()
            .any(|name| REFUSED.contains(&name.as_str()) && !WITHOUT_MEANING.contains(&name.as_str()));
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    let mut is_completed = !is_object || !schema.get("properties").is_some_and(Value::is_object);
    let mut flat: Map<String, Value> = schema
        .iter()
        .filter(|(name, _)| !REFUSED.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    flat.insert("type".to_owned(), "object".into());
    flat.insert("properties".to_owned(), merged.properties.into());
    flat.remove("required");
    if !merged.required.is_empty() {
        flat.insert("required".to_owned(), merged.required.into());
    }
    if merged.is_combined {
        // It speaks of the properties beside the combined schemas alone.
        flat.remove("additionalProperties");
    }
    let mut flat = Value::Object(flat);
    is_completed |= complete(&mut flat);
    let renamed = Renamed::of(&mut flat);
    // References may have repeated much.
    let is_small = serde_json::to_vec(&flat).is_ok_and(|json| json.len() <= 2 * MAX_BYTES);
    match flat {
        Value::Object(schema) if is_small => {
            Ok(ModelSchema { schema, size, renamed, is_combined, is_completed })
        }
        _ => Err(SchemaFault::TooLarge),
    }
}

/// Why a schema can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaFault {
    TooLarge,
    NoObject,
}

/// The properties of a schema and of those that it combines.
struct Merged {
    properties: Map<String, Value>,
    /// Names of required properties, in order.
    required: Vec<String>,
    is_combined: bool,
}

impl Merged {
    /// `None` if no object fits the schema. `root` has the definitions.
    fn of(schema: &Map<String, Value>, root: &Map<String, Value>, depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let mut merged = Self::of(target_of(root, target)?, root, depth + 1)?;
            merged.add(Self::beside(schema)?);
            merged.is_combined = true;
            return Some(merged);
        }
        let mut merged = Self::beside(schema)?;
        for part in schemas(schema, "allOf") {
            merged.add(Self::of(part?, root, depth + 1)?);
        }
        for keyword in ["anyOf", "oneOf"] {
            let alternatives = schemas(schema, keyword);
            if alternatives.is_empty() {
                continue;
            }
            // Arguments are always an object, so the others never fit.
            let fitting: Vec<Self> =
                alternatives.into_iter().flatten().filter_map(|one| Self::of(one, root, depth + 1)).collect();
            merged.add(Self::any(fitting)?);
        }
        Some(merged)
    }

    /// The properties of a schema without those that it combines.
    fn beside(schema: &Map<String, Value>) -> Option<Self> {
        let is_object = match schema.get("type") {
            None => true,
            Some(Value::Array(types)) => types.contains(&json!("object")),
            Some(kind) => kind == "object",
        };
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        is_object.then(|| Self {
            properties: schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default(),
            required: required.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            is_combined: false,
        })
    }

    /// Adds a schema that holds as well.
    fn add(&mut self, other: Self) {
        self.is_combined = true;
        self.join(other.properties, "allOf");
        for name in other.required {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
    }

    /// Schemas of which one holds.
    fn any(alternatives: Vec<Self>) -> Option<Self> {
        let mut alternatives = alternatives.into_iter();
        let mut merged = alternatives.next()?;
        merged.is_combined = true;
        for other in alternatives {
            merged.required.retain(|name| other.required.contains(name));
            merged.join(other.properties, "anyOf");
        }
        Some(merged)
    }

    fn join(&mut self, properties: Map<String, Value>, keyword: &str) {
        for (name, schema) in properties {
            let known = self.properties.entry(name).or_insert_with(|| schema.clone());
            if *known == schema {
                continue;
            }
            match known.get_mut(keyword).and_then(Value::as_array_mut) {
                Some(joined) if joined.contains(&schema) => {}
                Some(joined) => joined.push(schema),
                None => *known = json!({ keyword: [known.take(), schema] }),
            }
        }
    }
}

/// The schemas that a keyword combines; `None` for one that is no object.
fn schemas<'a>(schema: &'a Map<String, Value>, keyword: &str) -> Vec<Option<&'a Map<String, Value>>> {
    let combined = schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
    combined.filter(|one| **one != Value::Bool(true)).map(Value::as_object).collect()
}

/// The schema that a reference within its document names.
fn target_of<'a>(root: &'a Map<String, Value>, reference: &str) -> Option<&'a Map<String, Value>> {
    let path = reference.strip_prefix("#/")?;
    let mut place = root;
    for name in path.split('/') {
        place = place.get(&name.replace("~1", "/").replace("~0", "~"))?.as_object()?;
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MAX_BYTES, SchemaFault, for_models};

    fn flat(schema: Value) -> Result<Value, SchemaFault> {
        for_models(schema.as_object().unwrap()).map(|flat| Value::Object(flat.schema))
    }

    #[test]
    fn combined_schemas_are_one_object_that_every_provider_takes() {
        let text = json!({ "type": "string" });
        let number = json!({ "type": "number" });
        for (schema, expected) in [
            (json!({}), json!({ "type": "object", "properties": {} })),
            (
                json!({ "type": ["object", "null"], "properties": { "a": text }, "additionalProperties": false }),
                json!({ "type": "object", "properties": { "a": text }, "additionalProperties": false }),
            ),
            (
                json!({ "type": "object", "properties": { "a": text, "b": text }, "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
                json!({ "type": "object", "properties": { "a": text, "b": text } }),
            ),
            (
                json!({ "anyOf": [
                    { "type": "object", "properties": { "kind": { "const": "a" }, "x": text }, "required": ["kind", "x"] },
                    { "type": "object", "properties": { "kind": { "const": "b" } }, "required": ["kind"] },
                    { "type": "string" },
                ], "additionalProperties": false, "title": "T" }),
                json!({
                    "type": "object", "title": "T", "required": ["kind"],
                    "properties": { "kind": { "anyOf": [{ "const": "a" }, { "const": "b" }] }, "x": text },
                }),
            ),
            (
                json!({ "allOf": [{ "$ref": "#/$defs/A" }, { "properties": { "b": number }, "required": ["b"] }],
                    "$defs": { "A": { "type": "object", "properties": { "a": text }, "required": ["a"] } } }),
                json!({
                    "type": "object", "properties": { "a": text, "b": number }, "required": ["a", "b"],
                    "$defs": { "A": { "type": "object", "properties": { "a": text }, "required": ["a"] } },
                }),
            ),
            (
                json!({ "$ref": "#/definitions/A", "definitions": { "A": { "properties": { "a": text } } } }),
                json!({ "type": "object", "properties": { "a": text }, "definitions": { "A": { "properties": { "a": text } } } }),
            ),
            (
                json!({ "type": "object", "properties": { "a": { "type": "array" }, "b": { "type": "object", "default": { "type": "array" } } },
                    "not": { "required": ["a", "b"] }, "if": {}, "then": {} }),
                json!({ "type": "object", "properties": {
                    "a": { "type": "array", "items": {} },
                    "b": { "type": "object", "properties": {}, "default": { "type": "array" } },
                } }),
            ),
        ] {
            assert_eq!(flat(schema.clone()).unwrap(), expected, "{schema}");
        }
    }

    #[test]
    fn a_schema_that_no_object_fits_or_that_is_too_large_is_refused() {
        for schema in [
            json!({ "type": "string" }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            json!({ "allOf": [{ "type": "array" }] }),
            json!({ "$ref": "#" }),
            json!({ "$ref": "#/$defs/A", "$defs": { "A": { "$ref": "#/$defs/A" } } }),
            json!({ "$ref": "https://elsewhere.example/schema" }),
        ] {
            assert_eq!(flat(schema.clone()), Err(SchemaFault::NoObject), "{schema}");
        }
        assert_eq!(flat(json!({ "description": "x".repeat(MAX_BYTES) })), Err(SchemaFault::TooLarge));
        let deep = (0..60)
            .fold(json!({}), |inner, _| json!({ "anyOf": [inner.clone(), { "properties": { "a": {} } }] }));
        assert_eq!(flat(deep), Ok(json!({ "type": "object", "properties": { "a": {} } })));
    }
}
