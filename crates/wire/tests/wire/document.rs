//! The OpenAPI document.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::toy::{self, Server, table};

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
fn every_reference_resolves_and_every_route_is_there() {
    let document = table().openapi("http://toy");
    let mut references = BTreeSet::new();
    collect(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for route in table().routes() {
        let operation = &document["paths"][route.path][route.method.as_str().to_lowercase()];
        assert_eq!(operation["operationId"], route.operation_id);
    }
}

#[test]
fn a_table_whose_lines_make_no_sense_says_so() {
    assert_eq!(table().defects(), Vec::<String>::new());
    let table = table().get("/api/v2/things", "getAnyThing", "Twice", toy::any).get(
        "/api/v2/{thing}",
        "misnamed",
        "With a placeholder that no field reads",
        toy::any,
    );
    assert_eq!(
        table.defects(),
        [
            "GET /api/v2/things stands there twice",
            "getAnyThing stands there twice",
            "misnamed reads {} from /api/v2/{thing}",
        ]
    );
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
    let at =
        |reference: &Value| document.pointer(reference.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
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
