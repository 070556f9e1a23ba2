//! MCP's Streamable HTTP transport, stateless and without streams: a message in, a message out.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use agent::mcp::{self, VERSIONS};
use domain::error::Location;
use domain::{Code, Error, Result, Rule};
use serde_json::{Value, json};
use wire::{AllowedOrigin, HandlerAnswer, Header, RequestHead, Schemas};

/// Limit of a message in bytes; the same as for a direct invocation of a tool.
pub const LIMIT_BYTES: u64 = 4 * 1024 * 1024;
/// The header with the negotiated version of the protocol.
pub const PROTOCOL_VERSION: Header =
    ("MCP-Protocol-Version", "The version of the protocol that the client has agreed to.");

/// The answer to a message; `None` for a notification.
#[derive(Debug)]
pub struct McpResponse(pub Option<mcp::RpcResponse>);

/// Checks origin and version of a request.
///
/// # Errors
/// `FORBIDDEN` for a page of another origin; `INVALID_REQUEST` for an unsupported version.
pub fn check(head: &RequestHead, allowed: &[AllowedOrigin]) -> Result<()> {
    check_origin(head, allowed)?;
    check_version(head)
}

/// Refuses pages of other origins in a browser, which must not act for its user (MCP, "Security").
fn check_origin(head: &RequestHead, allowed: &[AllowedOrigin]) -> Result<()> {
    let Some(origin) = head.header("origin") else { return Ok(()) };
    if allowed.iter().any(|allowed| allowed.covers(origin)) {
        Ok(())
    } else {
        Err(Error::new(Code::Forbidden, "Requests of this origin are not taken."))
    }
}

fn check_version(head: &RequestHead) -> Result<()> {
    let (name, _) = PROTOCOL_VERSION;
    match head.header(name) {
        Some(version) if !VERSIONS.contains(&version) => {
            let spoken = VERSIONS.iter().map(|version| Value::from(*version)).collect();
            Err(Error::broken(name, Rule::Enum(spoken)).at(Location::Header))
        }
        _ => Ok(()),
    }
}

impl HandlerAnswer for McpResponse {
    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let Some(answer) = self.0 else { return Ok(HttpResponse::Accepted().finish()) };
        let body = serde_json::to_vec(&answer).map_err(Error::internal)?;
        Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/json")).body(body))
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        let schema = schemas.answer::<mcp::RpcResponse>();
        vec![
            (
                200,
                json!({ "description": "Success", "content": { "application/json": { "schema": schema } } }),
            ),
            (202, json!({ "description": "A notification was taken" })),
        ]
    }
}
