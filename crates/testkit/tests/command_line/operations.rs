//! The client library's table of operations beside the documents that the services publish.

use std::collections::BTreeMap;

use client::{OPERATIONS, Plane};
use serde_json::Value;
use testkit::api::Api;

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_of_the_table_is_in_a_document_as_the_table_has_it() {
    let api = Api::start().await;
    let control = api.anonymous().get("/api/v2/openapi.json").await.expect(200).json();
    let data = api.anonymous_at_data().get("/api/v1/openapi.json").await.expect(200).json();
    let documents = [(Plane::Control, documented(&control)), (Plane::Data, documented(&data))];
    for operation in OPERATIONS {
        let (_, document) = documents.iter().find(|(plane, _)| *plane == operation.plane).unwrap();
        let found =
            document.get(operation.id).unwrap_or_else(|| panic!("{} is in no document", operation.id));
        let (verb, path, takes_key) = found;
        assert_eq!((verb.as_str(), path.as_str()), (operation.verb, operation.path), "{}", operation.id);
        assert_eq!(*takes_key, operation.takes_key(), "{}: Idempotency-Key", operation.id);
    }
}

/// Verb, path and idempotency of each operation.
fn documented(document: &Value) -> BTreeMap<String, (String, String, bool)> {
    let mut operations = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (verb, operation) in methods.as_object().unwrap() {
            let Some(id) = operation["operationId"].as_str() else { continue };
            let takes_key = operation["parameters"].to_string().to_lowercase().contains("idempotency");
            operations.insert(id.to_owned(), (verb.to_uppercase(), path.clone(), takes_key));
        }
    }
    operations
}
