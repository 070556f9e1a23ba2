//! The tools of a session over MCP.

use agent::mcp::{RequestContext, RpcMessage, session};
use agent::tools::ToolSession;
use auth::actor::ProjectRead;
use domain::Result;
use wire::{Json, NoQuery, Request};

use crate::app::App;
use crate::routes::mcp::transport::{self, LIMIT_BYTES, McpResponse};
use crate::routes::sessions::{SessionPath, refuse_lapsed};

/// Answers a message of an MCP client.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, SessionPath, NoQuery, Json<RpcMessage, LIMIT_BYTES>>,
) -> Result<McpResponse> {
    transport::check(&request.head, &request.body.0, &app.origins)?;
    let opened = ToolSession::open(&app.store, &request.call, &request.path.target()).await?;
    refuse_lapsed(&app, opened.record.id).await?;
    let context = RequestContext { now: request.call.now, request_id: request.call.request_id.clone() };
    let of = (transport::headers(&request.head), context);
    Ok(McpResponse(session::answer(&app, &app.tools, &opened, request.body.0, of).await?))
}
