//! Use one tool directly: no model, no credits.

use actix_web::HttpResponse;
use agent::tools::{ToolCall, ToolResult, ToolSession};
use api::work::sessions::tools::{InvokeTool, InvokeToolRequest};
use auth::actor::ProjectRead;
use domain::Result;
use serde_json::Value;
use serde_json::value::RawValue;
use store::Outcome;
use wire::{HandlerAnswer, IdempotentReply, Reply, Request, RequestHead, Schemas};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::sessions::refuse_lapsed;

/// The answer of a tool. Clients read it as JSON of any form.
pub struct ToolReply(IdempotentReply<ToolResult>);

/// Uses a tool of a session in the caller's name, on the project's live state. The caller's permissions decide which
/// tools exist. An `Idempotency-Key` is passed to the tool.
pub async fn handle(app: App, request: Request<ProjectRead, InvokeTool>) -> Result<ToolReply> {
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
    Ok(ToolReply(Reply::idempotent(Outcome { replayed: result.replayed, value: result })))
}

impl HandlerAnswer for ToolReply {
    type Declared = Value;

    const CREATES: bool = true;
    const IS_JSON: bool = true;

    fn into_response(self, head: &RequestHead) -> Result<HttpResponse> {
        self.0.into_response(head)
    }

    fn into_json(self) -> Result<Box<RawValue>> {
        self.0.into_json()
    }

    fn is_replay(&self) -> bool {
        self.0.is_replay()
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        IdempotentReply::<ToolResult>::describe(schemas)
    }
}
