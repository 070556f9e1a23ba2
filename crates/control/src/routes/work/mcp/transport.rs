//! MCP's Streamable HTTP transport, stateless and without streams: a message in, a message out.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use agent::mcp::revision::{MessageHeaders, STANDALONE};
use agent::mcp::{self, RpcMessage, VERSIONS};
use api::operation::Header;
use api::work::mcp::{METHOD, NAME, PROTOCOL_VERSION};
use domain::error::Location;
use domain::{Code, Error, Result, Rule};
use serde_json::{Value, json};
use wire::{AllowedOrigin, HandlerAnswer, RequestHead, Schemas};

/// The answer to a message; `None` for a notification.
#[derive(Debug)]
pub struct McpResponse(pub Option<mcp::RpcResponse>);

/// Checks origin and version of a request.
///
/// # Errors
/// `FORBIDDEN` for a page of another origin; `INVALID_REQUEST` for an unsupported version.
pub fn check(head: &RequestHead, message: &RpcMessage, allowed: &[AllowedOrigin]) -> Result<()> {
    check_origin(head, allowed)?;
    // A message that names its revision is refused in the protocol's own terms.
    if message.names_revision() { Ok(()) } else { check_version(head) }
}

/// The headers that the protocol defines for a message.
pub fn headers(head: &RequestHead) -> MessageHeaders<'_> {
    let of = |(name, _): Header| head.header(name);
    MessageHeaders { version: of(PROTOCOL_VERSION), method: of(METHOD), name: of(NAME) }
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
        Some(version) if version != STANDALONE && !VERSIONS.contains(&version) => {
            let spoken = std::iter::once(STANDALONE).chain(VERSIONS).map(Value::from).collect();
            Err(Error::broken(name, Rule::Enum(spoken)).at(Location::Header))
        }
        _ => Ok(()),
    }
}

impl HandlerAnswer for McpResponse {
    type Declared = Value;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let Some(answer) = self.0 else { return Ok(HttpResponse::Accepted().finish()) };
        let body = serde_json::to_vec(&answer).map_err(Error::internal)?;
        let status = StatusCode::from_u16(answer.status).map_err(Error::internal)?;
        let mut response = HttpResponse::build(status);
        Ok(response.insert_header((CONTENT_TYPE, "application/json")).body(body))
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
