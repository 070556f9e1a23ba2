//! The description of an operation, derived from the types of its handler.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::contract::body::RequestBody;
use crate::contract::reply::HandlerAnswer;
use crate::contract::schemas::Schemas;

/// The OpenAPI parameters, body and responses of an operation.
pub(crate) struct OperationDescription {
    pub(crate) parameters: Vec<Value>,
    pub(crate) body: Option<Value>,
    pub(crate) responses: Vec<(u16, Value)>,
}

/// The JSON Schemas (2020-12) of an operation's input and answer.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationSchemas {
    /// The path's parameters, by name.
    pub path: Map<String, Value>,
    /// The query's parameters, by name.
    pub query: Map<String, Value>,
    /// The names of the query's required parameters.
    pub required_query: Vec<String>,
    /// The body; `None` if the operation accepts none.
    pub body: Option<Value>,
    /// True if the body is required.
    pub body_required: bool,
    /// The targets of `#/$defs/…` in the schemas above.
    pub input_definitions: Map<String, Value>,
    /// The answer.
    pub answer: Value,
    /// The targets of `#/$defs/…` in the answer's schema.
    pub answer_definitions: Map<String, Value>,
}

impl OperationDescription {
    /// The schemas of the operation. `schemas` is the collector that described it.
    pub(crate) fn into_schemas(self, schemas: Schemas) -> OperationSchemas {
        let (mut path, mut query) = (Map::new(), Map::new());
        let mut required_query = Vec::new();
        for parameter in self.parameters {
            let text = |field: &str| parameter.get(field)?.as_str().map(str::to_owned);
            let (Some(name), Some(place)) = (text("name"), text("in")) else { continue };
            let mut schema = parameter.get("schema").cloned().unwrap_or_default();
            if let (Some(schema), Some(description)) = (schema.as_object_mut(), text("description")) {
                schema.insert("description".to_owned(), json!(description));
            }
            match place.as_str() {
                "path" => path.insert(name, schema),
                _ => {
                    if parameter.get("required") == Some(&json!(true)) {
                        required_query.push(name.clone());
                    }
                    query.insert(name, schema)
                }
            };
        }
        let body_required = self.body.as_ref().is_some_and(|body| body.get("required") == Some(&json!(true)));
        let answer = self.responses.into_iter().find_map(|(_, response)| json_schema(&response));
        let (input_definitions, answer_definitions) = schemas.into_definitions();
        OperationSchemas {
            path,
            query,
            required_query,
            body: self.body.as_ref().and_then(json_schema),
            body_required,
            input_definitions,
            answer: answer.unwrap_or_default(),
            answer_definitions,
        }
    }

    /// The names of the path's parameters.
    pub(crate) fn path_parameters(&self) -> BTreeSet<String> {
        let in_path = self.parameters.iter().filter(|parameter| parameter.get("in") == Some(&json!("path")));
        in_path.filter_map(|parameter| parameter.get("name")?.as_str().map(str::to_owned)).collect()
    }
}

/// The schema of a JSON body or response.
fn json_schema(content: &Value) -> Option<Value> {
    content.get("content")?.get("application/json")?.get("schema").cloned()
}

/// Describes an operation whose handler has these types.
pub(crate) fn describe<Path, Query, B, A>(schemas: &mut Schemas) -> OperationDescription
where
    Path: JsonSchema,
    Query: JsonSchema,
    B: RequestBody,
    A: HandlerAnswer,
{
    let mut parameters = schemas.parameters::<Path>("path");
    parameters.extend(schemas.parameters::<Query>("query"));
    OperationDescription { parameters, body: B::describe(schemas), responses: A::describe(schemas) }
}
