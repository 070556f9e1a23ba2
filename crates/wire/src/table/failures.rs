//! The failures of an operation in the OpenAPI document: the codes of each status, from its types and from its text.

use std::collections::{BTreeMap, BTreeSet};

use domain::Code;
use serde_json::{Map, Value, json};

use crate::contract::dialect::pascal_case;
use crate::contract::envelope::status_of;
use crate::table::endpoint::Route;
use crate::table::texts::OperationText;

/// The properties of an operation from which codes follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    /// It takes a body.
    pub(crate) has_body: bool,
    /// It answers in pages.
    pub(crate) is_paged: bool,
}

/// The codes with which an operation can fail, by status. Those that its text names are its own; the others follow from
/// its kind.
pub(crate) fn codes(route: &Route, traits: Traits, text: &OperationText) -> BTreeMap<u16, BTreeSet<String>> {
    let mut codes = vec![Code::RateLimited, Code::InternalError];
    if !route.has_closed_statuses {
        codes.push(Code::Unavailable);
    }
    if !route.public {
        codes.extend([
            Code::InvalidRequest,
            Code::Unauthenticated,
            Code::CredentialExpired,
            Code::CredentialNotPermitted,
        ]);
    }
    if route.permission.is_some() {
        codes.extend([Code::InsufficientScope, Code::Forbidden]);
    }
    if route.path.contains('{') && !route.public {
        codes.push(Code::NotFound);
    }
    if traits.is_paged {
        codes.push(Code::InvalidPagination);
    }
    if traits.has_body {
        codes.extend([Code::RequestTimeout, Code::PayloadTooLarge, Code::UnsupportedMediaType]);
    }
    if route.creates {
        codes.extend([Code::InvalidIdempotencyKey, Code::IdempotencyInProgress]);
    }
    if route.conditional {
        codes.push(Code::PreconditionFailed);
    }
    codes.extend(text.quoted().filter_map(|word| serde_json::from_value::<Code>(json!(word)).ok()));
    let mut by_status: BTreeMap<u16, BTreeSet<String>> = BTreeMap::new();
    for code in codes {
        by_status.entry(status_of(code)).or_default().insert(name(code));
    }
    by_status
}

/// The name of the response with these codes.
pub(crate) fn response_name(codes: &BTreeSet<String>) -> String {
    codes.iter().map(|code| pascal_case(&code.to_ascii_lowercase())).collect::<Vec<_>>().join("Or")
}

/// A response with these codes of one status. The schema of codes has their meanings.
pub(crate) fn response(status: u16, codes: &BTreeSet<String>, envelope: &Value) -> Value {
    let mut headers = common_headers();
    match status {
        401 => headers.insert("WWW-Authenticate".to_owned(), header_ref("WWW-Authenticate")),
        429 | 503 => headers.insert("Retry-After".to_owned(), header_ref("Retry-After")),
        _ => None,
    };
    json!({
        "description": codes.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(" or "),
        "headers": headers,
        "content": { "application/json": { "schema": envelope } },
        "x-error-codes": codes,
    })
}

/// The headers of every answer.
pub(crate) fn common_headers() -> Map<String, Value> {
    let names = ["X-Request-Id", "RateLimit", "RateLimit-Policy"];
    names.map(|name| (name.to_owned(), header_ref(name))).into_iter().collect()
}

/// The shared headers of the document, by name.
pub(crate) fn headers() -> Value {
    let text = |description: &str, example: &str| json!({ "description": description, "schema": { "type": "string" }, "example": example });
    json!({
        "X-Request-Id": text("The request's id: the client's own, or a new one.", "0198c5f0-7c1a-7e2b-9d3c-4f5a6b7c8d9e"),
        "RateLimit": text("What is left of the allowance, and the seconds until it is full.", "\"key\";r=119;t=1"),
        "RateLimit-Policy": text("The allowances: requests, and the seconds in which they come back.", "\"key\";q=120;w=12"),
        "Retry-After": json!({
            "description": "Seconds after which a repeat makes sense.",
            "schema": { "type": "integer", "format": "int32", "minimum": 1 },
            "example": 1,
        }),
        "WWW-Authenticate": text("The scheme, and what was wrong with the credential.", "Bearer error=\"invalid_token\""),
        "ETag": text("The state of the resource, for `If-Match` and `If-None-Match`.", "\"5f70bf18a086007016e948b04aed3b82\""),
        "Idempotency-Replayed": json!({
            "description": "Present where the answer repeats that of an earlier request with the same key.",
            "schema": { "type": "string", "enum": ["true"] },
        }),
    })
}

/// A reference to a shared header.
pub(crate) fn header_ref(name: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{name}") })
}

/// The name of a code in answers.
fn name(code: Code) -> String {
    json!(code).as_str().unwrap_or_default().to_owned()
}
