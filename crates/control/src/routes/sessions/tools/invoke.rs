//! Use one tool directly: no model, no credits.

use agent::tools::{ToolCall, ToolResult, ToolSession};
use api::sessions::InvokeToolRequest;
use auth::actor::ProjectRead;
use domain::Result;
use store::Outcome;
use wire::{IdempotentReply, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::sessions::{SessionPath, refuse_lapsed};

/// Limit of the body in bytes.
const LIMIT_BYTES: u64 = 4 * 1024 * 1024;

/// Uses a tool of a session in the caller's name, on the project's live state. The caller's permissions decide which
/// tools exist. An `Idempotency-Key` is passed to the tool.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, SessionPath, NoQuery, Json<InvokeToolRequest, LIMIT_BYTES>>,
) -> Result<IdempotentReply<ToolResult>> {
    let InvokeToolRequest { toolbox, tool, params } = request.body.0;
    let session = ToolSession::open(&app.store, &request.call, &request.path.target()).await?;
    refuse_lapsed(&app, session.record.id).await?;
    let call = ToolCall {
        toolbox,
        tool,
        params,
        // Validated by the checks of every operation.
        idempotency_key: request.head.header("idempotency-key").map(str::to_owned),
        now: request.call.now,
        request_id: request.call.request_id.clone(),
    };
    let result = app.tools.invoke(&app, &session, &call).await?.into_success()?;
    Ok(Reply::idempotent(Outcome { replayed: result.replayed, value: result }))
}
