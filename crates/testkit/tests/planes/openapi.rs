//! The OpenAPI documents of both planes: complete, of version 3.1, and correct.

use std::collections::BTreeSet;

use serde_json::Value;
use testkit::api::Api;
use testkit::caller::Caller;

async fn documents(api: &Api) -> [Value; 2] {
    let read = async |caller: Caller, path: &str| caller.get(path).await.expect(200).json();
    [
        read(api.anonymous(), "/api/v2/openapi.json").await,
        read(api.anonymous_at_data(), "/api/v1/openapi.json").await,
    ]
}

#[tokio::test]
async fn every_reference_resolves_and_every_schema_is_used() {
    let api = Api::start().await;
    for document in documents(&api).await {
        let title = document["info"]["title"].as_str().unwrap().to_owned();
        assert_eq!(document["openapi"], "3.1.0", "{title}");
        assert_eq!(document["info"]["version"], "2.0.0", "{title}");
        let mut references = BTreeSet::new();
        collect_references(&document, &mut references);
        for reference in &references {
            let pointer =
                reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} leads elsewhere"));
            assert!(document.pointer(pointer).is_some(), "{title}: {reference} leads nowhere");
        }
        for name in document["components"]["schemas"].as_object().unwrap().keys() {
            let used = format!("#/components/schemas/{name}");
            assert!(references.contains(&used), "{title}: nothing uses {name}");
        }
    }
}

#[tokio::test]
async fn every_operation_has_a_unique_name_all_path_parameters_and_its_errors() {
    let api = Api::start().await;
    for document in documents(&api).await {
        let mut names = BTreeSet::new();
        for (path, operations) in document["paths"].as_object().unwrap() {
            let placeholders: BTreeSet<String> = path
                .split('/')
                .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
                .map(str::to_owned)
                .collect();
            for (method, operation) in operations.as_object().unwrap() {
                let name = operation["operationId"].as_str().unwrap();
                assert!(names.insert(name.to_owned()), "{name} is there twice");
                assert!(!operation["summary"].as_str().unwrap().is_empty(), "{name}");
                let in_path: BTreeSet<String> = operation["parameters"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|parameter| parameter["in"] == "path")
                    .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
                    .collect();
                assert_eq!(in_path, placeholders, "{method} {path}");
                let responses = operation["responses"].as_object().unwrap();
                assert!(responses.keys().any(|status| status.starts_with('2')), "{name}");
                assert!(responses.contains_key("default"), "{name}");
                let public = operation["security"].as_array().unwrap().is_empty();
                assert_eq!(!public, responses.contains_key("401"), "{name}");
            }
        }
        assert!(names.len() >= 2, "{names:?}");
    }
}

#[tokio::test]
async fn the_commands_print_the_documents_that_the_services_serve() {
    let api = Api::start().await;
    let [control, _] = documents(&api).await;
    let output =
        std::process::Command::new(testkit::environment::program("control")).arg("openapi").output().unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["paths"], control["paths"]);
    assert_eq!(printed["components"], control["components"]);
}

fn collect_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                found.insert(reference.clone());
            }
            fields.values().for_each(|value| collect_references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_references(value, found)),
        _ => {}
    }
}
