//! The error codes, out of the documents.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::markdown::Renderer;
use crate::reference::{OperationReference, PlaneReference, at, text};

/// Most operations that are listed with a code; others have it in common.
const LISTED: usize = 12;

/// One error code.
#[derive(Debug)]
pub(crate) struct ErrorCode<'a> {
    pub(crate) code: &'a str,
    /// HTML.
    pub(crate) meaning: String,
    pub(crate) summary: &'a str,
    /// The status of answers that it ends; `None` if it only ends runs.
    pub(crate) status: Option<u16>,
    /// The operations that can answer it.
    pub(crate) operations: Vec<&'a OperationReference<'a>>,
    /// True if too many operations answer it for a list.
    pub(crate) is_common: bool,
}

/// The values of a document's list of codes, with their meaning.
pub(crate) fn codes(document: &Value) -> impl Iterator<Item = (&str, &str)> {
    let schema = at(document, "/components/schemas/Code");
    let values = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let meanings = at(schema, "/x-enumDescriptions");
    values.map(|code| (code, text(meanings, code)))
}

/// All codes in the order of the document, with the operations of both planes that answer them.
pub(crate) fn list<'a>(planes: &'a [PlaneReference<'a>], renderer: &Renderer) -> Vec<ErrorCode<'a>> {
    let mut answered: BTreeMap<&str, (u16, Vec<&OperationReference<'_>>)> = BTreeMap::new();
    for plane in planes {
        for operation in plane.operations() {
            for (status, code) in of_operation(plane.document, operation.value) {
                answered.entry(code).or_insert((status, Vec::new())).1.push(operation);
            }
        }
    }
    let documented = planes.first().into_iter().flat_map(|plane| codes(plane.document));
    let read = documented.map(|(code, meaning)| {
        let (status, operations) = answered.remove(code).map_or((None, Vec::new()), |(s, o)| (Some(s), o));
        let is_common = operations.len() > LISTED;
        ErrorCode { code, meaning: renderer.text(meaning), summary: meaning, status, operations, is_common }
    });
    read.collect()
}

/// The statuses and codes with which an operation fails.
pub(crate) fn of_operation<'a>(
    document: &'a Value,
    operation: &'a Value,
) -> impl Iterator<Item = (u16, &'a str)> {
    let responses = operation["responses"].as_object().into_iter().flatten();
    responses.filter_map(|(status, response)| Some((status.parse().ok()?, response))).flat_map(
        move |(status, response)| {
            let place = response["$ref"].as_str().and_then(|place| place.strip_prefix('#'));
            let response = place.and_then(|place| document.pointer(place)).unwrap_or(response);
            let codes = response["x-error-codes"].as_array().into_iter().flatten();
            codes.filter_map(Value::as_str).map(move |code| (status, code))
        },
    )
}

/// The name of a status.
pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        416 => "Range Not Satisfiable",
        422 => "Unprocessable Content",
        423 => "Locked",
        429 => "Too Many Requests",
        460 => "Checksum Mismatch",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "",
    }
}
