//! The tools of a session over MCP: its Streamable HTTP transport, stateless and without streams.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use agent::mcp::{self, RequestContext, RpcMessage, VERSIONS};
use agent::tools::ToolSession;
use auth::actor::ProjectRead;
use domain::error::Location;
use domain::{Code, Error, Result, Rule};
use serde_json::{Value, json};
use wire::{AllowedOrigin, HandlerAnswer, Json, NoQuery, Request, RequestHead, Schemas};

use crate::app::App;
use crate::routes::sessions::{SessionPath, refuse_lapsed};

/// Limit of a message in bytes; the same as for a direct invocation.
const LIMIT_BYTES: u64 = 4 * 1024 * 1024;
/// The header with the negotiated protocol version.
const PROTOCOL_VERSION: &str = "mcp-protocol-version";

/// The answer to a message; `None` for a notification.
#[derive(Debug)]
pub struct McpResponse(Option<mcp::RpcResponse>);

/// Answers a message of an MCP client.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, SessionPath, NoQuery, Json<RpcMessage, LIMIT_BYTES>>,
) -> Result<McpResponse> {
    check_origin(&request.head, &app.origins)?;
    check_version(&request.head)?;
    let session = ToolSession::open(&app.store, &request.call, &request.path.target()).await?;
    refuse_lapsed(&app, session.record.id).await?;
    let context = RequestContext { now: request.call.now, request_id: request.call.request_id.clone() };
    Ok(McpResponse(mcp::answer(&app, &app.tools, &session, request.body.0, context).await?))
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
    match head.header(PROTOCOL_VERSION) {
        Some(version) if !VERSIONS.contains(&version) => {
            let spoken = VERSIONS.iter().map(|version| Value::from(*version)).collect();
            Err(Error::broken("MCP-Protocol-Version", Rule::Enum(spoken)).at(Location::Header))
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
