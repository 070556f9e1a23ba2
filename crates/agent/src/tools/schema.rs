//! The schemas of a tool: those of its operation, in one object, without what the session fills in.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use wire::Shape;

/// What a reference within a schema that stands alone begins with.
const DEFINITIONS: &str = "#/$defs/";

/// The name of the parameter for a body that has no fields of its own.
pub(super) const BODY: &str = "body";

/// Where an operation takes a tool's parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Places {
    /// Those in the path, the filled-in ones included.
    pub(super) path: Vec<String>,
    /// Those in the query.
    pub(super) query: BTreeSet<String>,
    /// How the rest makes the body.
    pub(super) body: Body,
}

/// What an operation's body is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Body {
    /// There is none.
    #[default]
    None,
    /// Of the parameters that stand nowhere else; left out where there are none and it may be.
    Fields { required: bool },
    /// Of the one parameter [`BODY`].
    Whole,
}

/// Where the parameters go.
pub(super) fn places(shape: &Shape) -> Places {
    let body = match &shape.body {
        None => Body::None,
        Some(body) if fields(body, &shape.input_definitions).is_some() => {
            Body::Fields { required: shape.body_required }
        }
        Some(_) => Body::Whole,
    };
    Places { path: shape.path.keys().cloned().collect(), query: shape.query.keys().cloned().collect(), body }
}

/// The schema of a tool's parameters: path, query and the fields of the body side by side, but for what is `filled`. A
/// name that the body shares with the path or the query means the same there, and is taken from these.
pub(super) fn input(shape: &Shape, filled: &[&str]) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required: BTreeSet<String> = BTreeSet::new();
    for (name, schema) in shape.path.iter().filter(|(name, _)| !filled.contains(&name.as_str())) {
        properties.insert(name.clone(), schema.clone());
        required.insert(name.clone());
    }
    properties.extend(shape.query.clone());
    required.extend(shape.required_query.iter().cloned());
    match shape.body.as_ref().map(|body| (body, fields(body, &shape.input_definitions))) {
        Some((_, Some((fields, needed)))) => {
            for (name, schema) in fields.into_iter().filter(|(name, _)| !shape.path.contains_key(name)) {
                properties.entry(name).or_insert(schema);
            }
            required.extend(needed.into_iter().filter(|name| properties.contains_key(name)));
        }
        Some((body, None)) => {
            properties.insert(BODY.to_owned(), body.clone());
            required.extend(shape.body_required.then(|| BODY.to_owned()));
        }
        None => {}
    }
    object(
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        &shape.input_definitions,
    )
}

/// The schema of a tool's structured answer, which is always an object.
pub(super) fn output(shape: &Shape) -> Map<String, Value> {
    let answer = resolved(&shape.answer, &shape.answer_definitions);
    let answer = if answer.get("type") == Some(&json!("object")) {
        answer.clone()
    } else {
        json!({ "type": "object", "properties": { "value": answer }, "required": ["value"] })
    };
    object(answer, &shape.answer_definitions)
}

/// The fields of a body that is an object, and which of them can't be left out.
fn fields(body: &Value, definitions: &Map<String, Value>) -> Option<(Map<String, Value>, Vec<String>)> {
    let body = resolved(body, definitions);
    if body.get("type") != Some(&json!("object"))
        || body.get("oneOf").is_some()
        || body.get("anyOf").is_some()
    {
        return None;
    }
    let fields = body.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let required = body.get("required").and_then(Value::as_array).into_iter().flatten();
    Some((fields, required.filter_map(|name| name.as_str().map(str::to_owned)).collect()))
}

/// A schema that stands alone: with those definitions that it leads to.
fn object(mut schema: Value, definitions: &Map<String, Value>) -> Map<String, Value> {
    let mut needed: Map<String, Value> = Map::new();
    let mut ahead = references(&schema);
    while let Some(name) = ahead.pop() {
        if let Some(definition) = definitions.get(&name).filter(|_| !needed.contains_key(&name)) {
            ahead.extend(references(definition));
            needed.insert(name, definition.clone());
        }
    }
    let mut schema = schema.as_object_mut().map(std::mem::take).unwrap_or_default();
    if !needed.is_empty() {
        needed.sort_keys();
        schema.insert("$defs".to_owned(), Value::Object(needed));
    }
    schema
}

/// What a schema is, where it only refers to another.
fn resolved<'a>(schema: &'a Value, definitions: &'a Map<String, Value>) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(DEFINITIONS));
    target.and_then(|name| definitions.get(name)).unwrap_or(schema)
}

/// The names of the definitions that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(DEFINITIONS));
            own.map(str::to_owned).into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
