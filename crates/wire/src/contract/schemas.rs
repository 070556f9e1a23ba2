//! The JSON Schemas of request and answer types.

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::transform::Transform;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::contract::dialect::{Dialect, name_alternatives, remove_null};

/// Place of all schemas in the document.
const SCHEMAS: &str = "#/components/schemas/";
/// Place of the schemas of requests until they are merged with those of answers.
const INPUTS: &str = "#/components/inputs/";
/// Place of the referenced schemas in a schema outside of a document.
const DEFINITIONS: &str = "#/$defs/";

/// Collects the schemas that a document refers to. One type may have two schemas: a field with a default is optional in
/// a request and always present in an answer. So requests and answers have a generator each.
pub struct Schemas {
    inputs: SchemaGenerator,
    answers: SchemaGenerator,
    is_outline: bool,
}

impl Schemas {
    /// The schema of a type as clients send it.
    pub fn request<T: JsonSchema>(&mut self) -> Value {
        if self.is_outline {
            return Value::Null;
        }
        let mut schema = self.inputs.subschema_for::<T>();
        Dialect::Request.transform(&mut schema);
        schema.to_value()
    }

    /// The schema of a type as the service sends it.
    pub fn answer<T: JsonSchema>(&mut self) -> Value {
        if self.is_outline {
            return Value::Null;
        }
        let mut schema = self.answers.subschema_for::<T>();
        Dialect::Answer.transform(&mut schema);
        schema.to_value()
    }

    /// The schema of a type as clients send it, alone, and the targets of `#/$defs/…` in it. It validates input, so it
    /// is as schemars writes it.
    pub(crate) fn of_input<T: JsonSchema>() -> (Value, Map<String, Value>) {
        let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let schema = T::json_schema(&mut generator).to_value();
        (schema, generator.take_definitions(true))
    }

    /// Collects for a document.
    pub(crate) fn for_document() -> Self {
        Self::at(INPUTS, SCHEMAS)
    }

    /// Collects for a single operation, outside of a document.
    pub(crate) fn for_operation() -> Self {
        Self::at(DEFINITIONS, DEFINITIONS)
    }

    /// Describes an operation by its path's parameters and its statuses alone; all else is null or absent. Each start of a
    /// plane needs these of each operation, and the schemas would take a third of its time.
    pub(crate) fn outline() -> Self {
        Self { is_outline: true, ..Self::for_operation() }
    }

    fn at(inputs: &str, answers: &str) -> Self {
        let at = |place: &str| {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path =
                    place.trim_start_matches('#').trim_end_matches('/').to_owned().into();
            })
        };
        Self {
            inputs: at(inputs).for_deserialize().with_transform(Dialect::Request).into_generator(),
            answers: at(answers).for_serialize().with_transform(Dialect::Answer).into_generator(),
            is_outline: false,
        }
    }

    /// The fields of `T` as OpenAPI parameters in `place` (`path` or `query`).
    pub(crate) fn parameters<T: JsonSchema>(&mut self, place: &str) -> Vec<Value> {
        if self.is_outline && place != "path" {
            return Vec::new();
        }
        let mut schema = T::json_schema(&mut self.inputs);
        Dialect::Request.transform(&mut schema);
        let required: BTreeSet<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        fields
            .map(|(name, schema)| {
                // A parameter is present with a text, or absent.
                let mut schema = schema.clone();
                remove_null(&mut schema);
                let mut parameter = json!({ "name": name, "in": place });
                if let Some(parameter) = parameter.as_object_mut() {
                    if place == "path" || required.contains(name.as_str()) {
                        parameter.insert("required".to_owned(), json!(true));
                    }
                    if let Some(text) = schema.as_object_mut().and_then(|schema| schema.remove("description"))
                    {
                        parameter.insert("description".to_owned(), text);
                    }
                    if place == "query" && is_array(&schema) {
                        // `syntax::query` reads a list as one value with commas.
                        parameter.insert("style".to_owned(), json!("form"));
                        parameter.insert("explode".to_owned(), json!(false));
                    }
                    parameter.insert("schema".to_owned(), schema);
                }
                parameter
            })
            .collect()
    }

    /// The referenced schemas of requests and those of answers, of a single operation.
    pub(crate) fn into_definitions(mut self) -> (Map<String, Value>, Map<String, Value>) {
        (self.inputs.take_definitions(true), self.answers.take_definitions(true))
    }

    /// Merges both sets and redirects the references in `paths`. A type whose two schemas differ, directly or in a
    /// schema that they refer to, keeps the request's as `…Input`.
    pub(crate) fn merge(self, paths: &mut Map<String, Value>) -> Map<String, Value> {
        let (inputs, mut schemas) = self.into_definitions();
        let mut differing: BTreeSet<String> = BTreeSet::new();
        loop {
            let before = differing.len();
            for (name, input) in &inputs {
                let mut same = input.clone();
                redirect(&mut same, &differing);
                if schemas.get(name).is_some_and(|answer| *answer != same) {
                    differing.insert(name.clone());
                }
            }
            if differing.len() == before {
                break;
            }
        }
        for (name, mut input) in inputs {
            redirect(&mut input, &differing);
            schemas.insert(input_name(&name, &differing), input);
        }
        paths.values_mut().for_each(|path| redirect(path, &differing));
        name_alternatives(&mut schemas);
        schemas
    }
}

/// Redirects every reference to a request's schema to its place after the merge.
fn redirect(value: &mut Value, differing: &BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let input = value.as_str().filter(|_| key == "$ref").and_then(|to| to.strip_prefix(INPUTS));
                match input.map(|name| format!("{SCHEMAS}{}", input_name(name, differing))) {
                    Some(to) => *value = Value::String(to),
                    None => redirect(value, differing),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redirect(item, differing)),
        _ => {}
    }
}

/// True for the schema of a list.
fn is_array(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("array"))
}

fn input_name(name: &str, differing: &BTreeSet<String>) -> String {
    if differing.contains(name) { format!("{name}Input") } else { name.to_owned() }
}
