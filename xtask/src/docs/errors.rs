//! The page of error codes: status, meaning, next step and operations of each, out of the OpenAPI documents.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{METHODS, NOTE, cell};

/// Most operations that a row names; of more it has the number.
const NAMED: usize = 4;

/// The operations of both planes.
#[derive(Default)]
struct Operations<'a> {
    count: usize,
    /// The status of each code, and the ids of the operations that answer it.
    by_code: BTreeMap<&'a str, (&'a str, Vec<&'a str>)>,
}

/// Writes the page. Both planes have the same list of codes.
pub(super) fn page(documents: &[(&str, Value)]) -> Result<String> {
    let (_, document) = documents.first().context("no document")?;
    let codes = document.pointer("/components/schemas/Code").map(codes).unwrap_or_default();
    if codes.is_empty() {
        bail!("the document lists no codes at components.schemas.Code");
    }
    let operations = Operations::of(documents);
    let mut page = format!(
        "{NOTE}\n# Errors\n\nThe envelope of an error and the rules of repeating a request are in \
         [Errors and retries](guide/errors-and-retries.md).\n\n\
         | code | status | when | next step | operations |\n|---|---|---|---|---|\n"
    );
    for (code, when) in codes {
        let (status, named) = operations.of_code(code);
        let next = next_step(status, code);
        writeln!(page, "| `{code}` | {status} | {} | {next} | {named} |", cell(when))?;
    }
    Ok(page)
}

impl<'a> Operations<'a> {
    fn of(documents: &'a [(&str, Value)]) -> Self {
        let mut all = Self::default();
        for (_, document) in documents {
            for path in document["paths"].as_object().into_iter().flat_map(|paths| paths.values()) {
                for operation in METHODS.iter().filter_map(|method| path.get(method)) {
                    all.add(document, operation);
                }
            }
        }
        all
    }

    fn add(&mut self, document: &'a Value, operation: &'a Value) {
        self.count += 1;
        let id = operation["operationId"].as_str().unwrap_or_default();
        for (status, response) in operation["responses"].as_object().into_iter().flatten() {
            let place = response["$ref"].as_str().and_then(|place| place.strip_prefix('#'));
            let response = place.and_then(|place| document.pointer(place)).unwrap_or(response);
            let codes = response["x-error-codes"].as_array().into_iter().flatten();
            for code in codes.filter_map(Value::as_str) {
                self.by_code.entry(code).or_insert((status, Vec::new())).1.push(id);
            }
        }
    }

    /// The status of a code and its operations, for a row.
    fn of_code(&self, code: &str) -> (&str, String) {
        match self.by_code.get(code) {
            None => ("", String::new()),
            Some((status, ids)) if ids.len() == self.count => (status, "all".to_owned()),
            Some((status, ids)) if ids.len() > NAMED => (status, ids.len().to_string()),
            Some((status, ids)) => {
                let ids: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
                (status, ids.join(", "))
            }
        }
    }
}

/// The next step of a caller.
fn next_step(status: &str, code: &str) -> &'static str {
    match (status, code) {
        (_, "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_IN_PROGRESS") => "repeat after a moment",
        (_, "LIMIT_REACHED" | "PROJECT_LIMIT_REACHED") => "remove something, or ask the operator",
        ("400" | "405" | "413" | "415" | "416" | "422", _) => "change the request",
        ("401", _) => "get a valid credential",
        ("402", _) => "raise the session's budget",
        ("403", _) => "use a credential with the right",
        ("404", _) => "check the id and the caller's access",
        ("408", _) => "repeat",
        ("409", _) => "read the state, then decide",
        ("412", _) => "read the resource again, then decide",
        ("423" | "460", _) => "ask for the offset, then go on",
        ("429" | "503", _) => "repeat after `Retry-After`",
        ("500", _) => "repeat once at most",
        ("502" | "504", _) => "check the tool, then repeat",
        _ => "",
    }
}

/// The values of an enumeration, with their descriptions.
fn codes(schema: &Value) -> Vec<(&str, &str)> {
    let values = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let described = |code| schema.get("x-enumDescriptions")?.get(code)?.as_str();
    values.map(|code| (code, described(code).unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn document(operations: usize) -> Value {
        let fails = |codes: &[&str]| json!({ "x-error-codes": codes });
        let operation = |number: usize| {
            let responses =
                json!({ "404": fails(&["ABSENT"]), "409": { "$ref": "#/components/responses/Taken" } });
            (
                format!("/{number}"),
                json!({ "get": { "operationId": format!("get{number}"), "responses": responses } }),
            )
        };
        json!({
            "paths": (0..operations).map(operation).collect::<serde_json::Map<_, _>>(),
            "components": {
                "schemas": { "Code": {
                    "enum": ["ABSENT", "TAKEN", "OTHER"],
                    "x-enumDescriptions": { "TAKEN": "The name is\ntaken." },
                } },
                "responses": { "Taken": fails(&["TAKEN"]) },
            },
        })
    }

    fn rows(documents: &[(&str, Value)]) -> Vec<String> {
        let page = super::page(documents).unwrap();
        page.lines().filter(|line| line.starts_with("| `")).map(str::to_owned).collect()
    }

    #[test]
    fn a_code_has_its_status_meaning_next_step_and_operations() {
        let mut second = document(0);
        second["paths"]["/x"] = json!({ "get": { "operationId": "x", "responses": {} } });
        assert_eq!(
            rows(&[("Control plane", document(1)), ("Data plane", second)]),
            [
                "| `ABSENT` | 404 |  | check the id and the caller's access | `get0` |",
                "| `TAKEN` | 409 | The name is taken. | read the state, then decide | `get0` |",
                "| `OTHER` |  |  |  |  |",
            ]
        );
    }

    #[test]
    fn many_operations_are_counted() {
        let mut second = document(5);
        second["paths"]["/x"] = json!({ "get": { "operationId": "x", "responses": {} } });
        assert!(rows(&[("Control plane", second)])[0].ends_with("| 5 |"));
        assert!(rows(&[("Control plane", document(5))])[0].ends_with("| all |"));
    }

    #[test]
    fn a_document_without_codes_is_refused() {
        assert!(super::page(&[("Control plane", json!({}))]).is_err());
    }
}
