//! The OpenAPI documents of both planes: complete, of version 3.1, and correct.

use std::collections::BTreeSet;

use serde_json::Value;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::document::{example, parameters};

async fn documents(deployment: &Deployment) -> [Value; 2] {
    let read = async |caller: Caller, path: &str| caller.get(path).await.expect(200).json();
    [
        read(deployment.anonymous(), "/api/v2/openapi.json").await,
        read(deployment.anonymous_at_data(), "/api/v1/openapi.json").await,
    ]
}

#[tokio::test]
async fn every_reference_resolves_and_every_schema_is_used() {
    let deployment = Deployment::shared();
    for document in documents(&deployment).await {
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
async fn pages_of_an_allowed_origin_may_read_every_header_in_the_documents() {
    let allowed = ("ATELIER_ALLOWED_ORIGINS", "https://app.example".to_owned());
    let deployment = Deployment::with(Options { environment: vec![allowed], ..Options::default() }).await;
    let mut names = BTreeSet::new();
    for document in documents(&deployment).await {
        let of_operations = document["paths"].as_object().unwrap().values().flat_map(|path| {
            path.as_object()
                .unwrap()
                .values()
                .flat_map(|operation| operation["responses"].as_object().unwrap().values())
        });
        let responses =
            document["components"]["responses"].as_object().unwrap().values().chain(of_operations);
        names.extend(
            responses
                .filter_map(|response| response["headers"].as_object())
                .flat_map(|headers| headers.keys().cloned()),
        );
    }
    assert!(names.len() > 10, "{names:?}");
    for (caller, path) in [
        (deployment.anonymous(), "/api/v2/openapi.json"),
        (deployment.anonymous_at_data(), "/api/v1/openapi.json"),
    ] {
        let answer = caller.get(path).header("origin", "https://app.example").await.expect(200);
        let exposed: BTreeSet<&str> = answer.header("access-control-expose-headers").split(", ").collect();
        let hidden: Vec<&String> = names.iter().filter(|name| !exposed.contains(name.as_str())).collect();
        assert!(hidden.is_empty(), "{hidden:?}");
    }
}

#[tokio::test]
async fn every_operation_has_a_unique_name_all_path_parameters_and_its_errors() {
    let deployment = Deployment::shared();
    for document in documents(&deployment).await {
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
                let in_path: BTreeSet<String> = parameters(&document, operation)
                    .iter()
                    .filter(|parameter| parameter["in"] == "path")
                    .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
                    .collect();
                assert_eq!(in_path, placeholders, "{method} {path}");
                let responses = operation["responses"].as_object().unwrap();
                assert!(responses.keys().any(|status| status.starts_with('2')), "{name}");
                assert_eq!(responses.contains_key("default"), name != "listAvailableCards", "{name}");
                let public = operation["security"].as_array().unwrap().is_empty();
                assert_eq!(!public, responses.contains_key("401"), "{name}");
            }
        }
        assert!(names.len() >= 2, "{names:?}");
    }
}

#[tokio::test]
async fn every_operation_is_described_for_its_users_and_every_status_has_its_codes() {
    let deployment = Deployment::shared();
    for document in documents(&deployment).await {
        let mut tags = BTreeSet::new();
        for tag in document["tags"].as_array().unwrap() {
            assert!(!tag["description"].as_str().unwrap().is_empty(), "{tag}");
            tags.insert(tag["name"].as_str().unwrap());
        }
        for operations in document["paths"].as_object().unwrap().values() {
            for operation in operations.as_object().unwrap().values() {
                let id = operation["operationId"].as_str().unwrap();
                assert!(operation["description"].as_str().unwrap().len() > 20, "{id}");
                let [tag] = operation["tags"].as_array().unwrap().as_slice() else { panic!("{id}") };
                assert!(tags.contains(tag.as_str().unwrap()), "{id}: {tag}");
                for (status, answer) in operation["responses"].as_object().unwrap() {
                    let Some(place) = answer["$ref"].as_str().filter(|_| status != "default") else {
                        continue;
                    };
                    let answer = document.pointer(place.trim_start_matches('#')).unwrap();
                    let codes = answer["x-error-codes"].as_array().unwrap();
                    assert!(!codes.is_empty(), "{id} {status}");
                    for header in ["X-Request-Id", "RateLimit", "RateLimit-Policy"] {
                        assert!(answer["headers"][header].is_object(), "{id} {status} {header}");
                    }
                }
            }
        }
        // Words of the implementation and of its sources.
        let text = document.to_string();
        for word in ["docs/", "[`", "::", "PostgreSQL", "Redis", "denormal", "serde", "handler", "lease"] {
            let found = text.find(word).map(|at| text[at.saturating_sub(80)..].chars().take(160));
            assert!(found.is_none(), "{word}: {}", found.unwrap().collect::<String>());
        }
    }
}

#[tokio::test]
async fn the_documents_are_small_and_revalidated() {
    let deployment = Deployment::shared();
    for (request, document) in [
        deployment.anonymous().get("/api/v2/openapi.json"),
        deployment.anonymous_at_data().get("/api/v1/openapi.json"),
    ]
    .into_iter()
    .zip(documents(&deployment).await)
    {
        // gzip is what every client knows; Brotli makes it smaller.
        let answer = request.header("accept-encoding", "gzip").await.expect(200);
        assert_eq!(answer.header("content-encoding"), "gzip");
        assert!(answer.header("etag").starts_with("W/\""), "{}", answer.header("etag"));
        let (size, operations) = (answer.body.len(), operations(&document));
        let most = FRAME_BYTES + OPERATION_BYTES * operations;
        assert!(size < most, "{size} bytes of {most}, {operations} operations");
    }
}

/// Bytes of a packed document beside its operations.
const FRAME_BYTES: usize = 8_000;
/// Bytes of a packed document for each operation.
const OPERATION_BYTES: usize = 362;

fn operations(document: &Value) -> usize {
    document["paths"].as_object().unwrap().values().map(|path| path.as_object().unwrap().len()).sum()
}

#[tokio::test]
async fn schemas_are_in_the_dialect_that_generators_of_clients_read() {
    let deployment = Deployment::shared();
    for document in documents(&deployment).await {
        let mut defects = Vec::new();
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            collect_defects(schema, name, &mut defects);
        }
        for (path, operations) in document["paths"].as_object().unwrap() {
            for operation in operations.as_object().unwrap().values() {
                let id = operation["operationId"].as_str().unwrap();
                let parameters = parameters(&document, operation);
                for parameter in &parameters {
                    collect_defects(&parameter["schema"], id, &mut defects);
                    if parameter["schema"].to_string().contains(r#""null""#) {
                        defects.push(format!("{id}: {} can be null", parameter["name"]));
                    }
                }
                let in_path = parameters.iter().filter(|parameter| parameter["in"] == "path");
                let in_path: Vec<&str> =
                    in_path.map(|parameter| parameter["name"].as_str().unwrap()).collect();
                let segments = path.split(['/', '.']);
                let named: Vec<&str> =
                    segments.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
                assert_eq!(in_path, named, "{id}");
            }
        }
        assert!(defects.is_empty(), "{}", defects.join("\n"));
    }
}

#[tokio::test]
async fn the_commands_print_the_documents_that_the_services_serve() {
    let deployment = Deployment::start().await;
    let [control, _] = documents(&deployment).await;
    let output =
        std::process::Command::new(testkit::environment::program("control")).arg("openapi").output().unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["paths"], control["paths"]);
    assert_eq!(printed["components"], control["components"]);
}

/// Finds the parts of a schema that some generator of clients does not read.
fn collect_defects(schema: &Value, place: &str, defects: &mut Vec<String>) {
    const FORMATS: [&str; 7] = ["uuid", "date-time", "uri", "binary", "int32", "int64", "double"];
    let Some(fields) = schema.as_object() else {
        defects.push(format!("{place}: {schema} is no object"));
        return;
    };
    for (key, value) in fields {
        let place = format!("{place}/{key}");
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    collect_defects(schema, &format!("{place}/{name}"), defects);
                }
            }
            ("items", schema) | ("additionalProperties", schema @ Value::Object(_)) => {
                collect_defects(schema, &place, defects);
            }
            ("oneOf" | "anyOf" | "allOf", Value::Array(alternatives)) => {
                if key == "oneOf" && alternatives.iter().any(|one| one.get("const").is_some()) {
                    defects.push(format!("{place} lists values"));
                }
                if key == "oneOf" && fields.get("discriminator").is_none() {
                    defects.push(format!("{place} has no discriminator"));
                }
                alternatives.iter().for_each(|one| collect_defects(one, &place, defects));
            }
            ("format", format) if !FORMATS.contains(&format.as_str().unwrap()) => {
                defects.push(format!("{place} is {format}"));
            }
            ("type", Value::String(kind)) if kind == "integer" && fields.get("format").is_none() => {
                let bounded = fields.contains_key("minimum") && fields.contains_key("maximum");
                defects.extend((!bounded).then(|| format!("{place}: an integer without a width")));
            }
            _ => {}
        }
    }
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

#[tokio::test]
async fn every_body_has_an_example_and_every_operation_a_sentence() {
    let deployment = Deployment::shared();
    let mut bare = BTreeSet::new();
    for document in documents(&deployment).await {
        for operations in document["paths"].as_object().unwrap().values() {
            for operation in operations.as_object().unwrap().values() {
                let id = operation["operationId"].as_str().unwrap();
                let description = operation["description"].as_str().unwrap();
                let words = description.split_whitespace().count();
                if words < 4 || !description.contains('.') || description == operation["summary"] {
                    bare.insert(format!("{id}: {description}"));
                }
                let bodies = operation["requestBody"]["content"].as_object().into_iter().flatten();
                let bare_bodies = bodies.filter(|(_, media)| example(&document, media).is_null());
                bare.extend(bare_bodies.map(|(media_type, _)| format!("{id}: {media_type}")));
            }
        }
    }
    assert!(bare.is_empty(), "{bare:#?}");
}

#[tokio::test]
async fn the_document_of_available_cards_lists_the_specified_statuses_alone() {
    let deployment = Deployment::shared();
    let [control, _] = documents(&deployment).await;
    let operation = &control["paths"]["/api/v2/orgs/{orgId}/teams/{teamId}/available-cards"]["get"];
    let statuses: Vec<&str> =
        operation["responses"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(statuses, ["200", "400", "401", "403", "404", "429", "500"]);
}
