//! The OpenAPI 3.1 document, from the table and the types of its handlers.

use std::collections::BTreeSet;

use actix_web::http::{Method, StatusCode};
use auth::credential::{Clients, CredentialKind};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::body::Body;
use crate::envelope::Envelope;
use crate::operation::Shape;
use crate::reply::Answer;
use crate::table::{Endpoint, Route};

/// The interface's version (specification, "Versioning").
const VERSION: &str = "2.0.0";
/// Where the document keeps its schemas.
const SCHEMAS: &str = "#/components/schemas/";
/// Where those of requests are kept until they are merged with those of answers.
const INPUTS: &str = "#/components/inputs/";

/// Where a schema that stands alone keeps what it refers to.
const DEFINITIONS: &str = "#/$defs/";

/// The name of the security scheme of Git's own clients.
const BASIC: &str = "basic";

/// Collects the schemas that a document refers to. A type may look different as an input (a field with a default
/// is optional) and in an answer (it is always there), so each has its generator until the end.
pub struct Schemas {
    inputs: SchemaGenerator,
    answers: SchemaGenerator,
}

/// What the types of a handler say about its operation.
pub(crate) struct Description {
    parameters: Vec<Value>,
    body: Option<Value>,
    answers: Vec<(u16, Value)>,
}

impl Schemas {
    /// The schema of a type as clients send it.
    pub fn request<T: JsonSchema>(&mut self) -> Value {
        self.inputs.subschema_for::<T>().to_value()
    }

    /// The schema of a type as the service answers it.
    pub fn answer<T: JsonSchema>(&mut self) -> Value {
        self.answers.subschema_for::<T>().to_value()
    }

    pub(crate) fn new() -> Self {
        Self::at(INPUTS, SCHEMAS)
    }

    /// For schemas that are read by themselves rather than in a document.
    pub(crate) fn standing_alone() -> Self {
        Self::at(DEFINITIONS, DEFINITIONS)
    }

    /// Keeps the schemas of requests and those of answers at these places.
    fn at(inputs: &str, answers: &str) -> Self {
        let at = |place: &str| {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path =
                    place.trim_start_matches('#').trim_end_matches('/').to_owned().into();
            })
        };
        Self {
            inputs: at(inputs).for_deserialize().into_generator(),
            answers: at(answers).for_serialize().into_generator(),
        }
    }

    /// The fields of `T` as parameters that stand in the `place` (`path`, `query`).
    fn parameters<T: JsonSchema>(&mut self, place: &str) -> Vec<Value> {
        let schema = T::json_schema(&mut self.inputs);
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
                let mut parameter = json!({
                    "name": name,
                    "in": place,
                    "required": place == "path" || required.contains(name.as_str()),
                    "schema": schema,
                });
                if let Some(parameter) = parameter.as_object_mut() {
                    if let Some(text) = schema.get("description") {
                        parameter.insert("description".to_owned(), text.clone());
                    }
                    if place == "query" && is_array(schema) {
                        // As `syntax::query` reads them: in one value, separated by commas.
                        parameter.insert("style".to_owned(), json!("form"));
                        parameter.insert("explode".to_owned(), json!(false));
                    }
                }
                parameter
            })
            .collect()
    }

    /// The schemas, and `document` with all its references pointing to them. An input that looks different in
    /// answers, directly or in what it refers to, is kept beside it as `…Input`.
    fn merge(mut self, mut document: Value) -> (Map<String, Value>, Value) {
        let mut schemas = self.answers.take_definitions(true);
        let inputs = self.inputs.take_definitions(true);
        let mut apart: BTreeSet<String> = BTreeSet::new();
        loop {
            let before = apart.len();
            for (name, input) in &inputs {
                let mut same = input.clone();
                redirect(&mut same, &apart);
                if schemas.get(name).is_some_and(|answer| *answer != same) {
                    apart.insert(name.clone());
                }
            }
            if apart.len() == before {
                break;
            }
        }
        for (name, mut input) in inputs {
            redirect(&mut input, &apart);
            schemas.insert(input_name(&name, &apart), input);
        }
        redirect(&mut document, &apart);
        (schemas, document)
    }
}

impl Description {
    /// The schemas of the operation, which were collected in `schemas`.
    pub(crate) fn shape(self, mut schemas: Schemas) -> Shape {
        let (mut path, mut query) = (Map::new(), Map::new());
        let mut required_query = Vec::new();
        for parameter in self.parameters {
            let text = |field: &str| parameter.get(field)?.as_str().map(str::to_owned);
            let (Some(name), Some(place)) = (text("name"), text("in")) else { continue };
            let schema = parameter.get("schema").cloned().unwrap_or_default();
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
        let answer = self.answers.into_iter().find_map(|(_, answer)| json_schema(&answer));
        Shape {
            path,
            query,
            required_query,
            body: self.body.as_ref().and_then(json_schema),
            body_required,
            input_definitions: schemas.inputs.take_definitions(true),
            answer: answer.unwrap_or_default(),
            answer_definitions: schemas.answers.take_definitions(true),
        }
    }

    /// The names of the parameters in the path.
    pub(crate) fn path_parameters(&self) -> BTreeSet<String> {
        let in_path = self.parameters.iter().filter(|parameter| parameter.get("in") == Some(&json!("path")));
        in_path.filter_map(|parameter| parameter.get("name")?.as_str().map(str::to_owned)).collect()
    }
}

/// The schema of a body or an answer that is JSON.
fn json_schema(content: &Value) -> Option<Value> {
    content.get("content")?.get("application/json")?.get("schema").cloned()
}

/// Describes an operation of a handler with these types.
pub(crate) fn describe<Path, Query, B, A>(schemas: &mut Schemas) -> Description
where
    Path: JsonSchema,
    Query: JsonSchema,
    B: Body,
    A: Answer,
{
    let mut parameters = schemas.parameters::<Path>("path");
    parameters.extend(schemas.parameters::<Query>("query"));
    Description { parameters, body: B::describe(schemas), answers: A::describe(schemas) }
}

/// Describes an operation that takes nothing.
pub(crate) fn describe_public<A: Answer>(schemas: &mut Schemas) -> Description {
    Description { parameters: Vec::new(), body: None, answers: A::describe(schemas) }
}

/// The document of a table.
pub(crate) fn document<App>(
    title: &str,
    public_url: &str,
    accepts: &[CredentialKind],
    endpoints: &[Endpoint<App>],
) -> Value {
    let mut schemas = Schemas::new();
    let envelope = schemas.answer::<Envelope>();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let description = (endpoint.describe)(&mut schemas);
        let operation = operation(&endpoint.route, description, accepts);
        let path = paths.entry(endpoint.route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(endpoint.route.method.as_str().to_ascii_lowercase(), operation);
        }
    }
    let (schemas, paths) = schemas.merge(Value::Object(paths));
    let mut security: Map<String, Value> = accepts.iter().map(|kind| security_scheme(*kind)).collect();
    if endpoints.iter().any(|endpoint| endpoint.route.automation_only) {
        security.extend([security_scheme(CredentialKind::Grant)]);
    }
    if endpoints.iter().any(|endpoint| endpoint.route.clients == Clients::Git) {
        let description = "Any of the above as the password, with any user name; for Git's own clients.";
        let basic = json!({ "type": "http", "scheme": "basic", "description": description });
        security.insert(BASIC.to_owned(), basic);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": title, "version": VERSION },
        "servers": [{ "url": public_url }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": { "Error": error_response(&envelope) },
            "securitySchemes": security,
        },
    })
}

fn operation(route: &Route, description: Description, accepts: &[CredentialKind]) -> Value {
    let Description { mut parameters, body, answers } = description;
    if route.creates {
        parameters.push(idempotency_key());
    }
    // Only a read can find that the client has the answer already.
    let answers = answers.into_iter().filter(|(status, _)| *status != 304 || route.method == Method::GET);
    let mut responses: Map<String, Value> =
        answers.map(|(status, answer)| (status.to_string(), answer)).collect();
    for status in failures(route, body.is_some()) {
        responses.insert(status.as_str().to_owned(), json!({ "$ref": "#/components/responses/Error" }));
    }
    responses.insert("default".to_owned(), json!({ "$ref": "#/components/responses/Error" }));
    let accepts = if route.automation_only { &[CredentialKind::Grant] } else { accepts };
    let mut security: Vec<Value> = accepts
        .iter()
        .filter(|kind| !route.browser_only || **kind == CredentialKind::BrowserToken)
        .map(|kind| json!({ security_scheme(*kind).0: [] }))
        .collect();
    if route.clients == Clients::Git {
        security.push(json!({ BASIC: [] }));
    }
    let mut operation = json!({
        "operationId": route.operation_id,
        "summary": route.summary,
        "parameters": parameters,
        "responses": responses,
        "security": if route.public { Vec::new() } else { security },
    });
    if let Some(operation) = operation.as_object_mut() {
        if let Some(body) = body {
            operation.insert("requestBody".to_owned(), body);
        }
        if let Some(permission) = route.permission {
            operation.insert("x-permission".to_owned(), json!(permission));
            operation.insert("x-scope".to_owned(), json!(permission.scope()));
        }
    }
    operation
}

/// The statuses that any operation of this kind can fail with; further ones fall under `default`.
fn failures(route: &Route, has_body: bool) -> Vec<StatusCode> {
    let mut statuses = vec![
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    if !route.public {
        statuses.extend([StatusCode::BAD_REQUEST, StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN]);
    }
    if route.path.contains('{') {
        statuses.push(StatusCode::NOT_FOUND);
    }
    if has_body {
        statuses.extend([
            StatusCode::REQUEST_TIMEOUT,
            StatusCode::PAYLOAD_TOO_LARGE,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ]);
    }
    if route.creates {
        statuses.push(StatusCode::CONFLICT);
    }
    statuses
}

fn error_response(envelope: &Value) -> Value {
    let header = |description: &str| json!({ "description": description, "schema": { "type": "string" } });
    json!({
        "description": "The request failed",
        "headers": {
            "X-Request-Id": header("The request's id."),
            "Retry-After": header("Seconds after which a repeat makes sense, where one does."),
        },
        "content": { "application/json": { "schema": envelope } },
    })
}

fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "A repeat with the same key returns the first result, with `Idempotency-Replayed: true`.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
    })
}

fn security_scheme(kind: CredentialKind) -> (String, Value) {
    let (name, format, description) = match kind {
        CredentialKind::ApiKey => ("apiKey", "svc_ak_live_… or svc_ak_test_…", "A personal access token."),
        CredentialKind::BrowserToken => ("browserToken", "JWT", "A browser access token."),
        CredentialKind::Grant => ("grant", "svc_gr_…", "A grant, as the creation of a session returns it."),
    };
    let scheme =
        json!({ "type": "http", "scheme": "bearer", "bearerFormat": format, "description": description });
    (name.to_owned(), scheme)
}

/// Points every reference to an input at where it will be.
fn redirect(value: &mut Value, apart: &BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let input = value.as_str().filter(|_| key == "$ref").and_then(|to| to.strip_prefix(INPUTS));
                match input.map(|name| format!("{SCHEMAS}{}", input_name(name, apart))) {
                    Some(to) => *value = Value::String(to),
                    None => redirect(value, apart),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redirect(item, apart)),
        _ => {}
    }
}

/// Whether a schema is of a list, which may be left out.
fn is_array(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::Array(types)) => types.contains(&json!("array")),
        Some(of_one) => *of_one == json!("array"),
        None => false,
    }
}

fn input_name(name: &str, apart: &BTreeSet<String>) -> String {
    if apart.contains(name) { format!("{name}Input") } else { name.to_owned() }
}
