//! List the tools that can be used in a session.

use agent::tools::{Tool, ToolSession};
use auth::actor::ProjectRead;
use domain::Result;
use schemars::JsonSchema;
use serde::Serialize;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::sessions::{SessionPath, refuse_lapsed};

/// The tools.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListToolsResponse")]
pub struct Answer {
    tools: Vec<Tool>,
}

/// Lists the tools that the caller can use in a session, by toolbox.
pub async fn handle(app: App, request: Request<ProjectRead, SessionPath>) -> Result<Reply<Answer>> {
    let session = ToolSession::open(&app.store, &request.call, &request.path.target()).await?;
    refuse_lapsed(&app, session.record.id).await?;
    Ok(Reply::ok(Answer { tools: app.tools.list(&session).await? }))
}
