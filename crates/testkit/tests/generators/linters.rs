//! Linters have nothing to say about the documents.

use std::fs;
use std::process::Command;

use serde_json::Value;
use testkit::registry::{npm, pypi};

use crate::{PLANES, kept, run, write_documents};

const NPM: &[&str] = &["@redocly/cli@2.77.0", "@stoplight/spectral-cli@6.16.3"];
/// The program of OpenAPI Generator; it needs Java.
const OPENAPI_GENERATOR: &[&str] = &["openapi-generator-cli==7.26.0"];

#[test]
fn redocly_and_spectral_find_nothing() {
    let Some(folder) = npm(&kept("linters"), NPM) else { return };
    write_documents(&folder);
    fs::write(folder.join("spectral.yaml"), "extends: [\"spectral:oas\"]\n").unwrap();
    let tool = |name: &str| folder.join("node_modules/.bin").join(name);
    for (plane, _) in PLANES {
        let document = format!("{plane}.json");
        let arguments = ["lint", &document, "--extends=recommended-strict", "--format=json"];
        // The report is on the standard output alone.
        let report = Command::new(tool("redocly")).args(arguments).current_dir(&folder).output().unwrap();
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        assert_eq!(report["problems"], serde_json::json!([]), "{plane}");
        let arguments = ["lint", &document, "--ruleset=spectral.yaml", "--fail-severity=hint"];
        run(&folder, tool("spectral"), &arguments);
    }
}

#[test]
fn openapi_generator_finds_the_documents_valid() {
    let Some(python) = pypi(&kept("openapi-generator"), OPENAPI_GENERATOR) else { return };
    let folder = kept("openapi-generator");
    write_documents(&folder);
    for (plane, _) in PLANES {
        let document = format!("{plane}.json");
        let program = python.with_file_name("openapi-generator-cli");
        let said = run(&folder, program, &["validate", "-i", &document, "--recommend"]);
        assert!(said.contains("No validation issues detected"), "{plane}: {said}");
    }
}
