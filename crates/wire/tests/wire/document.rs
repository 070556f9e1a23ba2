//! The OpenAPI document.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::toy::{Server, table};

#[tokio::test]
async fn the_document_is_served_without_a_credential_and_names_the_server() {
    let server = Server::start().await;
    let answer = server.request("GET", "/api/v2/openapi.json").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let document: Value = answer.json().await.unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "2.0.0");
    assert_eq!(document["servers"][0]["url"], server.url);
}

#[test]
fn every_reference_resolves_and_every_route_is_there_once() {
    let document = table().openapi("http://toy");
    let mut references = BTreeSet::new();
    collect(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    let mut ids = BTreeSet::new();
    for route in table().routes() {
        let operation = &document["paths"][route.path][route.method.as_str().to_lowercase()];
        assert_eq!(operation["operationId"], route.operation_id);
        assert!(ids.insert(route.operation_id));
        let parameters = operation["parameters"].as_array().unwrap();
        let in_path: BTreeSet<&str> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        let placeholders = route.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
        assert_eq!(in_path, placeholders.collect(), "{}", route.path);
    }
}

#[test]
fn an_operation_says_what_its_handlers_types_say() {
    let document = table().openapi("http://toy");
    let create = &document["paths"]["/api/v2/things"]["post"];
    assert_eq!(create["x-permission"], "project.write");
    assert_eq!(create["x-scope"], "projects:write");
    assert_eq!(create["parameters"][0]["name"], "Idempotency-Key");
    assert!(create["responses"]["201"]["headers"]["Idempotency-Replayed"].is_object());
    assert!(create["responses"]["409"].is_object());
    // `parts` may be left out by the client, and is always there in the answer.
    let at = |reference: &Value| document.pointer(reference.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
    let input = at(&create["requestBody"]["content"]["application/json"]["schema"]["$ref"]);
    let answer = at(&create["responses"]["201"]["content"]["application/json"]["schema"]["$ref"]);
    assert_eq!(input["required"], serde_json::json!(["name"]));
    assert_eq!(answer["required"], serde_json::json!(["name", "parts"]));
    let browser = &document["paths"]["/api/v2/browser"]["get"]["security"];
    assert_eq!(*browser, serde_json::json!([{ "browserToken": [] }]));
}

fn collect(value: &Value, references: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            references.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}
