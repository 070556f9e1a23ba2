//! The OpenAPI 3.1 document of a table.

use actix_web::http::{Method, StatusCode};
use auth::credential::{AuthorizationSchemes, CredentialKind};
use serde_json::{Map, Value, json};

use crate::contract::envelope::Envelope;
use crate::contract::schemas::Schemas;
use crate::table::description::OperationDescription;
use crate::table::endpoint::{Endpoint, Route};

/// The version of the interface.
const VERSION: &str = "2.0.0";
/// The name of the security scheme for HTTP Basic.
const BASIC: &str = "basic";

/// The document of `endpoints`, for a plane that accepts these credentials at `public_url`.
pub(crate) fn document<App>(
    title: &str,
    public_url: &str,
    accepts: &[CredentialKind],
    endpoints: &[Endpoint<App>],
) -> Value {
    let mut schemas = Schemas::for_document();
    let envelope = schemas.answer::<Envelope>();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let description = (endpoint.describe)(&mut schemas);
        let operation = operation(&endpoint.route, description, accepts);
        let path = paths.entry(&endpoint.route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(endpoint.route.method.as_str().to_ascii_lowercase(), operation);
        }
    }
    let (schemas, paths) = schemas.merge(Value::Object(paths));
    let mut security: Map<String, Value> = accepts.iter().map(|kind| security_scheme(*kind)).collect();
    if endpoints.iter().any(|endpoint| endpoint.route.automation_only) {
        security.extend([security_scheme(CredentialKind::Grant)]);
    }
    if endpoints.iter().any(|endpoint| accepts_basic(&endpoint.route)) {
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

fn operation(route: &Route, description: OperationDescription, accepts: &[CredentialKind]) -> Value {
    let OperationDescription { mut parameters, body, responses } = description;
    parameters.sort_by_key(|parameter| place(parameter, &route.path));
    if route.creates {
        parameters.push(idempotency_key());
    }
    if route.conditional {
        parameters.push(header("If-Match", "The state that the operation expects; a stale one is refused."));
    }
    if route.has_etag && route.method == Method::GET {
        parameters
            .push(header("If-None-Match", "A state that the client has; 304 if it is the current one."));
    }
    // Only a read can answer 304.
    let responses = responses.into_iter().filter(|(status, _)| *status != 304 || route.method == Method::GET);
    let mut responses: Map<String, Value> =
        responses.map(|(status, response)| (status.to_string(), response)).collect();
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
    if accepts_basic(route) {
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

/// The position of a parameter in `path`; behind all of the path for others.
fn place(parameter: &Value, path: &str) -> usize {
    let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
    path.find(&format!("{{{name}}}")).unwrap_or(path.len())
}

fn accepts_basic(route: &Route) -> bool {
    route.protocol.schemes == AuthorizationSchemes::BearerAndBasic
}

/// The statuses with which any operation of this kind can fail. `default` covers the others.
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
    if route.conditional {
        statuses.push(StatusCode::PRECONDITION_FAILED);
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

fn header(name: &str, description: &str) -> Value {
    json!({
        "name": name,
        "in": "header",
        "required": false,
        "description": description,
        "schema": { "type": "string", "minLength": 1 },
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
