//! The OpenAPI 3.1 document of a table.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::http::Method;
use api::operation::{Header, PlaneDeclaration};
use auth::credential::{AuthorizationSchemes, CredentialKind};
use serde_json::{Map, Value, json};

use crate::contract::envelope::Envelope;
use crate::contract::schemas::Schemas;
use crate::table::description::OperationDescription;
use crate::table::endpoint::{Describe, Route};
use crate::table::failures::{self, Traits};
use crate::table::sharing::{drop_descriptions_of_bodies, share_examples, share_parameters};
use crate::table::texts::{OperationText, Texts};

/// The version of the interface.
pub(crate) const VERSION: &str = "2.0.0";
/// The name of the security scheme for HTTP Basic.
const BASIC: &str = "basic";

/// The document of `endpoints`, for a plane that accepts these credentials at `public_url`.
pub(crate) fn document(
    plane: &PlaneDeclaration,
    public_url: &str,
    accepts: &[CredentialKind],
    texts: &Texts,
    endpoints: &[(Route, Describe)],
) -> Value {
    let mut schemas = Schemas::for_document();
    let envelope = schemas.answer::<Envelope>();
    let mut failures: BTreeMap<String, (u16, BTreeSet<String>)> = BTreeMap::new();
    let mut paths = Map::new();
    for (route, describe) in endpoints {
        let unknown = OperationText::default();
        let text = texts.operations.get(route.operation_id).unwrap_or(&unknown);
        let description = describe(&mut schemas);
        let has_body = description.body.is_some();
        let is_paged = description.parameters.iter().any(|one| one.get("name") == Some(&json!("limit")));
        let mut operation = operation(route, description, accepts, text);
        for (status, codes) in failures::codes(route, Traits { has_body, is_paged }, text) {
            let name = failures::response_name(&codes);
            if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
                responses.insert(status.to_string(), response_ref(&name));
            }
            failures.insert(name, (status, codes));
        }
        let path = paths.entry(&route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.method.as_str().to_ascii_lowercase(), operation);
        }
    }
    let mut schemas = schemas.merge(&mut paths);
    share_examples(&mut paths, &mut schemas);
    drop_descriptions_of_bodies(&mut schemas);
    let parameters = share_parameters(&mut paths);
    let mut responses: Map<String, Value> = failures
        .into_iter()
        .map(|(name, (status, codes))| (name, failures::response(status, &codes, &envelope)))
        .collect();
    responses.insert("Error".to_owned(), error_response(&envelope));
    let mut security: Map<String, Value> = accepts.iter().map(|kind| security_scheme(*kind)).collect();
    if endpoints.iter().any(|(route, _)| route.automation_only) {
        security.extend([security_scheme(CredentialKind::Grant)]);
    }
    if endpoints.iter().any(|(route, _)| accepts_basic(route)) {
        let description = "Any of the above as the password, with any user name; for Git's own clients.";
        let basic = json!({ "type": "http", "scheme": "basic", "description": description });
        security.insert(BASIC.to_owned(), basic);
    }
    let tags = plane.tags.iter().map(|tag| json!({ "name": tag.name, "description": tag.text }));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": plane.title,
            "version": VERSION,
            "description": plane.introduction,
            "contact": { "name": "The operators of this deployment" },
            "license": { "name": "Apache License 2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": public_url }],
        "tags": tags.collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": parameters,
            "responses": responses,
            "headers": failures::headers(),
            "securitySchemes": security,
        },
    })
}

fn operation(
    route: &Route,
    description: OperationDescription,
    accepts: &[CredentialKind],
    text: &OperationText,
) -> Value {
    let OperationDescription { mut parameters, body, responses } = description;
    parameters.sort_by_key(|parameter| place(parameter, &route.path));
    if route.creates {
        parameters.push(idempotency_key());
    }
    if route.conditional {
        parameters.push(header("If-Match", "The state that the operation expects; a stale one is refused."));
    }
    if route.has_etag && route.method == Method::GET {
        parameters.push(header("If-Match", "The state that the client expects; 412 if it is another one."));
        parameters
            .push(header("If-None-Match", "A state that the client has; 304 if it is the current one."));
    }
    parameters.extend(route.request_headers.iter().map(|(name, text)| header(name, text)));
    // Only a read can answer 304.
    let responses = responses.into_iter().filter(|(status, _)| *status != 304 || route.method == Method::GET);
    let mut responses: Map<String, Value> = responses
        .map(|(status, response)| {
            let response = with_headers(response, route.answer_headers);
            (status.to_string(), with_example(response, text.answer.as_ref()))
        })
        .collect();
    if !route.has_closed_statuses {
        responses.insert("default".to_owned(), response_ref("Error"));
    }
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
        "description": text.description,
        "tags": [text.tag],
        "parameters": parameters,
        "responses": responses,
        "security": if route.public { Vec::new() } else { security },
    });
    if let Some(operation) = operation.as_object_mut() {
        if let Some(body) = body {
            operation.insert("requestBody".to_owned(), with_example(body, text.request.as_ref()));
        }
        if let Some(permission) = route.permission {
            operation.insert("x-permission".to_owned(), json!(permission));
            operation.insert("x-scope".to_owned(), json!(permission.scope()));
        }
    }
    operation
}

/// A success with the headers of every answer, and with more.
fn with_headers(mut response: Value, more: &[Header]) -> Value {
    let text = |description: &str| json!({ "description": description, "schema": { "type": "string" } });
    if let Some(response) = response.as_object_mut() {
        let headers = response.entry("headers").or_insert_with(|| json!({}));
        if let Some(headers) = headers.as_object_mut() {
            headers.extend(failures::common_headers());
            headers.extend(more.iter().map(|(name, description)| ((*name).to_owned(), text(description))));
        }
    }
    response
}

/// A JSON body or answer with an example.
fn with_example(mut content: Value, example: Option<&Value>) -> Value {
    let json = content.pointer_mut("/content/application~1json").and_then(Value::as_object_mut);
    if let (Some(json), Some(example)) = (json, example) {
        json.insert("example".to_owned(), example.clone());
    }
    content
}

fn response_ref(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}

/// The position of a parameter in `path`; behind all of the path for others.
fn place(parameter: &Value, path: &str) -> usize {
    let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
    path.find(&format!("{{{name}}}")).unwrap_or(path.len())
}

fn accepts_basic(route: &Route) -> bool {
    route.protocol.schemes == AuthorizationSchemes::BearerAndBasic
}

fn error_response(envelope: &Value) -> Value {
    json!({
        "description": "The request failed. The code of the error says why.",
        "headers": failures::common_headers(),
        "content": { "application/json": { "schema": envelope } },
    })
}

fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A repeat with the same key returns the first result, with `Idempotency-Replayed: true`.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
    })
}

fn header(name: &str, description: &str) -> Value {
    json!({
        "name": name,
        "in": "header",
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
