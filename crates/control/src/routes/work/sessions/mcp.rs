//! The tools of a session over MCP.

use agent::mcp::{RequestContext, RpcMessage, session};
use agent::tools::ToolSession;
use api::work::mcp::MESSAGE_LIMIT_BYTES;
use api::work::sessions::tools::CallMcp;
use auth::actor::ProjectRead;
use domain::Result;
use serde_json::Value;
use wire::{JsonAs, Request};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::mcp::transport::{self, McpResponse};
use crate::routes::work::sessions::refuse_lapsed;

/// Answers a message of an MCP client.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, CallMcp, JsonAs<Value, RpcMessage, MESSAGE_LIMIT_BYTES>>,
) -> Result<McpResponse> {
    transport::check(&request.head, &request.body.value, &app.origins)?;
    let opened = ToolSession::open(&app.store, &request.call, &request.path.target()).await?;
    refuse_lapsed(&app, opened.record.id).await?;
    let context = RequestContext { now: request.call.now, request_id: request.call.request_id.clone() };
    let of = (transport::headers(&request.head), context);
    Ok(McpResponse(session::answer(&app, &app.tools, &opened, request.body.value, of).await?))
}
