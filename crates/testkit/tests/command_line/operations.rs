//! The client library's tables of operations beside the documents that the services publish.

use std::collections::BTreeMap;

use client::{Operation, Plane, operations};
use serde_json::Value;
use testkit::deployment::Deployment;

/// Operations that the library leaves out, with the reason.
const LEFT_OUT: [(&str, &str); 14] = [
    ("batchLfs", "Git LFS sends it"),
    ("batchLfsByName", "Git LFS sends it"),
    ("callMcp", "a client of MCP sends it"),
    ("describeResumableUpload", "the library knows the options of uploads in pieces"),
    ("describeResumableUploads", "the library knows the options of uploads in pieces"),
    ("downloadLfsFile", "Git LFS sends it"),
    ("fetchGit", "Git sends it"),
    ("fetchGitByName", "Git sends it"),
    ("getGitReferences", "Git sends it"),
    ("getGitReferencesByName", "Git sends it"),
    ("getProtectedResourceOfMcp", "a client of MCP sends it"),
    ("overrideResumableUpload", "the library sends PATCH and DELETE"),
    ("uploadArchive", "uploads send files"),
    ("useMcp", "a client of MCP sends it"),
];

/// Names of schemas that differ from those of their types.
const SCHEMAS: [(&str, &str); 3] =
    [("CreateCard", "CreateCardRequest"), ("UpdateCard", "UpdateCardRequest"), ("Value", "ToolResult")];

/// An operation as a document describes it.
struct Documented {
    verb: String,
    path: String,
    takes_key: bool,
    has_query: bool,
    is_body_required: bool,
    body: Option<String>,
    answer: Option<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn the_library_has_every_operation_as_the_documents_have_it() {
    let deployment = Deployment::shared();
    let control = deployment.anonymous().get("/api/v2/openapi.json").await.expect(200).json();
    let data = deployment.anonymous_at_data().get("/api/v1/openapi.json").await.expect(200).json();
    let mut wrong = Vec::new();
    for (plane, document) in [(Plane::Control, control), (Plane::Data, data)] {
        let documented = documented(&document);
        for (id, described) in &documented {
            let found = operations().find(|operation| operation.plane == plane && operation.id == id);
            let is_left_out = LEFT_OUT.iter().any(|(left_out, _)| left_out == id);
            // Each plane has a document; that of the control plane is enough.
            let is_document = plane == Plane::Data && id == "getOpenapi";
            match found {
                Some(operation) if !is_left_out => wrong.extend(differences(operation, described)),
                Some(_) => wrong.push(format!("{id} is not left out")),
                None if is_left_out || is_document => {}
                None => wrong.push(format!("{id} is missing")),
            }
        }
        let of_plane = operations().filter(|operation| operation.plane == plane);
        let unknown = of_plane.filter(|operation| !documented.contains_key(operation.id));
        wrong.extend(unknown.map(|operation| format!("{} is in no document", operation.id)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The differences between the library's operation and the document's.
fn differences(operation: &Operation, described: &Documented) -> Vec<String> {
    let name = |name: &str| {
        let renamed = SCHEMAS.iter().find(|(own, _)| *own == name);
        renamed.map_or(name, |(_, schema)| *schema).to_owned()
    };
    let mut checks = vec![
        ("verb", operation.verb == described.verb),
        ("path", operation.path == described.path),
        ("Idempotency-Key", operation.takes_key() == described.takes_key),
    ];
    if operation.plane == Plane::Control {
        let is_left_out = operation.body.is_empty() && !described.is_body_required;
        let has_body = |body: &String| *body == name(operation.body) || is_left_out;
        checks.extend([
            ("query", operation.query.is_empty() != described.has_query),
            ("body", described.body.as_ref().map_or(operation.body.is_empty(), has_body)),
            // A stream, or JSON of any form.
            ("answer", described.answer.as_ref().is_none_or(|answer| *answer == name(operation.answer))),
        ]);
    }
    let wrong = checks.into_iter().filter(|(_, is_right)| !is_right);
    let described = [described.body.clone(), described.answer.clone()];
    wrong.map(|(part, _)| format!("{}: {part}: {operation:?} {described:?}", operation.id)).collect()
}

/// The operations of a document by their ids.
fn documented(document: &Value) -> BTreeMap<String, Documented> {
    let mut operations = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (verb, operation) in methods.as_object().unwrap() {
            let Some(id) = operation["operationId"].as_str() else { continue };
            let parameters = resolved(document, &operation["parameters"]);
            let has = |place: &str| parameters.iter().any(|parameter| parameter["in"] == place);
            let body = &operation["requestBody"];
            let responses = operation["responses"].as_object().unwrap();
            let answer = responses.iter().find(|(status, _)| status.starts_with('2'));
            let described = Documented {
                verb: verb.to_uppercase(),
                path: path.clone(),
                takes_key: parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key"),
                has_query: has("query"),
                is_body_required: body["required"] == true,
                body: schema_name(body),
                answer: answer.and_then(|(_, answer)| schema_name(answer)),
            };
            operations.insert(id.to_owned(), described);
        }
    }
    operations
}

/// Parameters, each in its own place of the document or where its reference leads.
fn resolved<'a>(document: &'a Value, parameters: &'a Value) -> Vec<&'a Value> {
    let parameters = parameters.as_array().into_iter().flatten();
    let resolve = |parameter: &'a Value| match parameter["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => parameter,
    };
    parameters.map(resolve).collect()
}

/// Name of the schema of a JSON body; `None` where it has no name, or is not JSON.
fn schema_name(content: &Value) -> Option<String> {
    let reference = content["content"]["application/json"]["schema"]["$ref"].as_str()?;
    let name = reference.rsplit('/').next()?;
    Some(name.strip_suffix("Input").unwrap_or(name).to_owned())
}
