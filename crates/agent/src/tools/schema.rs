//! The schemas of a tool: those of its operation, merged into one object, without the parameters that the session
//! supplies.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use wire::OperationSchemas;

/// Prefix of a reference within a standalone schema.
const DEFINITIONS: &str = "#/$defs/";

/// Name of the parameter for a body that is not an object.
pub(super) const BODY: &str = "body";

/// The distribution of a tool's parameters over path, query and body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parameters {
    /// Parameters of the path, including those that the session supplies.
    pub(super) path: Vec<String>,
    /// Parameters of the query.
    pub(super) query: BTreeSet<String>,
    /// The form of the body.
    pub(super) body: BodyForm,
}

/// The parameters that make an operation's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BodyForm {
    /// No body.
    #[default]
    None,
    /// All parameters that are not in the path or the query. Without any, an optional body is omitted.
    Fields { required: bool },
    /// The one parameter [`BODY`].
    Whole,
}

/// Distributes the parameters of an operation.
pub(super) fn parameters(schemas: &OperationSchemas) -> Parameters {
    let body = match &schemas.body {
        None => BodyForm::None,
        Some(body) if fields(body, &schemas.input_definitions).is_some() => {
            BodyForm::Fields { required: schemas.body_required }
        }
        Some(_) => BodyForm::Whole,
    };
    Parameters {
        path: schemas.path.keys().cloned().collect(),
        query: schemas.query.keys().cloned().collect(),
        body,
    }
}

/// The schema of a tool's parameters: those of path, query and body in one object, without the `supplied` ones. A
/// name in the body and in the path or query has one meaning; path and query define it.
pub(super) fn input(schemas: &OperationSchemas, supplied: &[&str]) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required: BTreeSet<String> = BTreeSet::new();
    for (name, schema) in schemas.path.iter().filter(|(name, _)| !supplied.contains(&name.as_str())) {
        properties.insert(name.clone(), schema.clone());
        required.insert(name.clone());
    }
    properties.extend(schemas.query.clone());
    required.extend(schemas.required_query.iter().cloned());
    match schemas.body.as_ref().map(|body| (body, fields(body, &schemas.input_definitions))) {
        Some((_, Some((fields, needed)))) => {
            for (name, schema) in fields.into_iter().filter(|(name, _)| !schemas.path.contains_key(name)) {
                properties.entry(name).or_insert(schema);
            }
            required.extend(needed.into_iter().filter(|name| properties.contains_key(name)));
        }
        Some((body, None)) => {
            properties.insert(BODY.to_owned(), body.clone());
            required.extend(schemas.body_required.then(|| BODY.to_owned()));
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
        &schemas.input_definitions,
    )
}

/// The schema of a tool's structured answer, always an object.
pub(super) fn output(schemas: &OperationSchemas) -> Map<String, Value> {
    let answer = resolved(&schemas.answer, &schemas.answer_definitions);
    let answer = if answer.get("type") == Some(&json!("object")) {
        answer.clone()
    } else {
        json!({ "type": "object", "properties": { "value": answer }, "required": ["value"] })
    };
    object(answer, &schemas.answer_definitions)
}

/// The fields of an object body, and the names of the required ones.
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

/// Makes a schema standalone: adds the definitions that it refers to.
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

/// Resolves a schema that only refers to another.
fn resolved<'a>(schema: &'a Value, definitions: &'a Map<String, Value>) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(DEFINITIONS));
    target.and_then(|name| definitions.get(name)).unwrap_or(schema)
}

/// The names of all definitions that a schema refers to.
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
