//! Halt a session's run without closing the session.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::id::SessionId;
use domain::session::SessionStatus;
use schemars::JsonSchema;
use serde::Serialize;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::sessions::{SessionPath, status};

/// What stopping did (specification, "Stop result").
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StopRunResponse")]
pub struct Answer {
    session_id: SessionId,
    /// The run that was stopped; empty where there was none.
    task_id: String,
    /// Whether there was a run to stop.
    stopped: bool,
    /// The status that holds now.
    status: SessionStatus,
}

/// Halts the current run. Where nothing is running, that is no error: `stopped` is false and the status is the
/// one that already held.
pub async fn handle(app: App, request: Request<ProjectWrite, SessionPath>) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let record = app.store.read(&request.call, &at, async |_, session| Ok(session.record.clone())).await?;
    let status = status(&app, &record).await;
    Ok(Reply::ok(Answer { session_id: record.id, task_id: String::new(), stopped: false, status }))
}
