//! Use one tool directly: no model, no credits.

use agent::tools::{ToolCall, ToolResult, ToolSession};
use auth::actor::ProjectRead;
use domain::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use store::Outcome;
use wire::{Json, NoQuery, Once, Reply, Request};

use crate::app::App;
use crate::routes::sessions::{SessionPath, refuse_lapsed};

/// Most bytes of the body (contract, section 10).
const LIMIT_BYTES: u64 = 4 * 1024 * 1024;

/// Which tool, with what.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "InvokeToolRequest")]
pub struct Body {
    /// The toolbox.
    toolbox: String,
    /// The tool.
    tool: String,
    /// The tool's arguments.
    #[serde(default)]
    params: Map<String, Value>,
}

/// Uses a tool of a session as the caller, on the project's live state. Which tools there are depends on what the caller
/// may do; an `Idempotency-Key` goes to the tool.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, SessionPath, NoQuery, Json<Body, LIMIT_BYTES>>,
) -> Result<Once<ToolResult>> {
    let Body { toolbox, tool, params } = request.body.0;
    let session = ToolSession::open(&app.store, &request.call, &request.path.target()).await?;
    refuse_lapsed(&app, session.record.id).await?;
    let call = ToolCall {
        toolbox,
        tool,
        params,
        // Checked already, as that of every operation that takes one.
        idempotency_key: request.head.header("idempotency-key").map(str::to_owned),
        now: request.call.now,
        request_id: request.call.request_id.clone(),
    };
    let result = app.tools.invoke(&app, &session, &call).await?.into_success()?;
    Ok(Reply::once(Outcome { replayed: result.replayed, value: result }))
}
