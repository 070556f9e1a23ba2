//! The OpenAPI document.

use std::collections::BTreeSet;
use std::io::Read;

use api::operation::{Declaration, PlaneDeclaration, Raw, Tag, ToolMembership};
use api::operations;
use serde_json::{Value, json};
use wire::{Table, endpoint};

use crate::toy::{self, Server, table};

/// The toy plane with operations that contradict its own.
const LARGER: PlaneDeclaration = PlaneDeclaration { operations: &[toy::OPERATIONS, LISTED], ..toy::PLANE };
const LISTED: &[&Declaration] = &[OPERATIONS[0], OPERATIONS[1], OPERATIONS[2]];
const OTHERS: Tag = Tag { name: "Others", text: "" };

operations! {
    tag: OTHERS;

    /// Has a placeholder that no field reads.
    Misnamed = Get "/api/v2/{thing}" {
        summary: "Misnamed",
        answer: &'static str,
        effect: Reads,
    }

    /// Is without the protocol of its path.
    Mixed = Put "/api/v2/protocol" {
        summary: "Mixed",
        answer: &'static str,
        effect: Idempotent,
    }

    /// Has no handler.
    Gone = Get "/api/v2/gone" {
        summary: "Gone",
        answer: Raw,
        effect: Reads,
    }

    /// Is no JSON.
    GetBytes = Get "/api/v2/bytes" {
        summary: "Read bytes",
        answer: Raw,
        effect: Reads,
        tool: Toolbox("things"),
    }

    /// Is on no list of the plane.
    Unlisted = Get "/api/v2/unlisted" {
        summary: "Unlisted",
        answer: &'static str,
        effect: Reads,
    }
}

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

#[tokio::test]
async fn the_document_is_revalidated_by_its_tag_and_compressed_where_asked_for() {
    let server = Server::start().await;
    let path = "/api/v2/openapi.json";
    let plain = server.request("GET", path).send().await.unwrap();
    assert!(!plain.headers().contains_key("content-encoding"));
    assert_eq!(plain.headers()["vary"], "Accept-Encoding");
    let tag = plain.headers()["etag"].clone();
    let plain = plain.bytes().await.unwrap();
    let known = server.request("GET", path).header("if-none-match", &tag).send().await.unwrap();
    assert_eq!((known.status().as_u16(), &known.headers()["etag"]), (304, &tag));
    for (accepted, coding) in [
        ("gzip", "gzip"),
        ("br;q=0, GZIP;q=0.5", "gzip"),
        ("*", "gzip"),
        ("br", "br"),
        ("gzip, deflate, br, zstd", "br"),
    ] {
        let packed = server.request("GET", path).header("accept-encoding", accepted).send().await.unwrap();
        assert_eq!(packed.headers()["content-encoding"], coding, "{accepted}");
        assert_eq!(packed.headers()["etag"], format!("W/{}", tag.to_str().unwrap()));
        let packed = packed.bytes().await.unwrap();
        assert!(packed.len() * 3 < plain.len(), "{} of {}", packed.len(), plain.len());
        let mut text = Vec::new();
        match coding {
            "br" => brotli::Decompressor::new(&*packed, 4096).read_to_end(&mut text).unwrap(),
            _ => flate2::read::GzDecoder::new(&*packed).read_to_end(&mut text).unwrap(),
        };
        assert_eq!(text, plain);
    }
    for coding in ["identity", "zstd", "gzip;q=0", "br;q=0, *;q=0", ""] {
        let plain = server.request("GET", path).header("accept-encoding", coding).send().await.unwrap();
        assert!(!plain.headers().contains_key("content-encoding"), "{coding}");
    }
}

#[tokio::test]
async fn small_answers_failures_and_files_are_not_compressed() {
    let server = Server::start().await;
    for path in ["/api/v2/things/fixed", "/api/v2/none", "/api/v2/large"] {
        let request = server.request("GET", path).bearer_auth(toy::READER);
        let answer = request.header("accept-encoding", "gzip").send().await.unwrap();
        assert!(!answer.headers().contains_key("content-encoding"), "{path}");
    }
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
        endpoint(toy::any::<toy::GetAnyThing>),
        endpoint(toy::any::<Misnamed>),
        endpoint(toy::any::<Mixed>),
        endpoint(toy::any::<Unlisted>),
    ];
    let endpoints = toy::endpoints().into_iter().chain(more);
    let table = Table::new(&LARGER, toy::EXAMPLES, endpoints);
    assert_eq!(
        table.defects(),
        [
            "GET /api/v2/things occurs twice",
            "getAnyThing occurs twice",
            "misnamed reads {} from /api/v2/{thing}",
            "/api/v2/protocol has two protocols",
            "unlisted is not listed by the plane",
            "gone has no handler",
        ]
    );
}

#[test]
fn a_table_with_tools_reports_operations_that_do_not_say_so_or_can_not_be_called() {
    let table = || {
        let endpoints = toy::endpoints().into_iter().chain([endpoint(toy::large::<GetBytes>)]);
        Table::new(&toy::PLANE, toy::EXAMPLES, endpoints)
    };
    let defects = table().with_tools(&["things"]).defects();
    assert!(defects.contains(&"getThing doesn't state whether it is a tool".to_owned()), "{defects:?}");
    assert!(defects.contains(&"getBytes is a tool that can't be called within the process".to_owned()));
    assert!(!defects.iter().any(|defect| defect.starts_with("createThing")), "{defects:?}");
    let defects = table().with_tools(&["project"]).defects();
    assert!(defects.contains(&"createThing is in the toolbox things, which there is not".to_owned()));
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
    assert!(create["parameters"][0].to_string().contains("Idempotency-Key"), "{create}");
    assert!(create["responses"]["201"]["headers"]["Idempotency-Replayed"].is_object());
    // Its kind and its text name codes.
    assert_eq!(
        create["responses"]["409"]["$ref"],
        "#/components/responses/IdempotencyInProgressOrTagNameTaken"
    );
    let conflict = &document["components"]["responses"]["IdempotencyInProgressOrTagNameTaken"];
    assert_eq!(conflict["x-error-codes"], serde_json::json!(["IDEMPOTENCY_IN_PROGRESS", "TAG_NAME_TAKEN"]));
    assert_eq!(create["tags"], serde_json::json!(["Things"]));
    assert!(create["description"].as_str().unwrap().starts_with("Creates a thing"));
    // `parts` is optional in the request and always present in the answer.
    let at =
        |reference: &Value| document.pointer(reference.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
    let input = at(&create["requestBody"]["content"]["application/json"]["schema"]["$ref"]);
    let answer = at(&create["responses"]["201"]["content"]["application/json"]["schema"]["$ref"]);
    assert_eq!(input["required"], serde_json::json!(["name"]));
    assert_eq!(answer["required"], serde_json::json!(["name", "parts"]));
    assert_eq!(
        (&input["examples"][0]["name"], &answer["examples"][0]["name"]),
        (&json!("Gear"), &json!("Gear"))
    );
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
