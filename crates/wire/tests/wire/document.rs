//! The OpenAPI document.

use std::collections::BTreeSet;

use serde_json::Value;
use wire::{Table, ToolMembership};

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
fn every_reference_resolves_and_every_route_is_documented() {
    let document = table().openapi("http://toy");
    let mut references = BTreeSet::new();
    collect(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for route in table().routes() {
        let operation = &document["paths"][&route.path][route.method.as_str().to_lowercase()];
        assert_eq!(operation["operationId"], route.operation_id);
    }
}

#[test]
fn a_table_reports_endpoints_that_contradict_each_other() {
    assert_eq!(table().defects(), Vec::<String>::new());
    let more = [
        wire::get("/api/v2/things", "getAnyThing", "Repeated", toy::any),
        wire::get("/api/v2/{thing}", "misnamed", "With a placeholder that no field reads", toy::any),
        wire::put("/api/v2/protocol", "mixed", "Without the protocol of its path", toy::any),
    ];
    let table = Table::new("Toy plane", "/api/v2/openapi.json", toy::endpoints().into_iter().chain(more));
    assert_eq!(
        table.defects(),
        [
            "GET /api/v2/things occurs twice",
            "getAnyThing occurs twice",
            "misnamed reads {} from /api/v2/{thing}",
            "/api/v2/protocol has two protocols",
        ]
    );
}

#[test]
fn a_route_states_whether_it_is_a_tool() {
    let table = table();
    let route = |id: &str| table.routes().find(|route| route.operation_id == id).unwrap().clone();
    assert_eq!(route("createThing").toolbox(), Some("things"));
    assert_eq!(route("deleteThings").tool, ToolMembership::NotATool("too much"));
    assert_eq!(route("getThing").tool, ToolMembership::Unstated);
}

#[test]
fn the_types_of_a_handler_describe_its_operation() {
    let document = table().openapi("http://toy");
    let create = &document["paths"]["/api/v2/things"]["post"];
    assert_eq!(create["x-permission"], "project.write");
    assert_eq!(create["x-scope"], "projects:write");
    assert_eq!(create["parameters"][0]["name"], "Idempotency-Key");
    assert!(create["responses"]["201"]["headers"]["Idempotency-Replayed"].is_object());
    assert!(create["responses"]["409"].is_object());
    // `parts` is optional in the request and always present in the answer.
    let at =
        |reference: &Value| document.pointer(reference.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
    let input = at(&create["requestBody"]["content"]["application/json"]["schema"]["$ref"]);
    let answer = at(&create["responses"]["201"]["content"]["application/json"]["schema"]["$ref"]);
    assert_eq!(input["required"], serde_json::json!(["name"]));
    assert_eq!(answer["required"], serde_json::json!(["name", "parts"]));
    let browser = &document["paths"]["/api/v2/browser"]["get"]["security"];
    assert_eq!(*browser, serde_json::json!([{ "browserToken": [] }]));
    let protocol = &document["paths"]["/api/v2/protocol"]["get"]["security"];
    assert_eq!(protocol[2], serde_json::json!({ "basic": [] }));
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
