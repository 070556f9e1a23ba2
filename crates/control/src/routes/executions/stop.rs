//! Stop an execution.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::execution::ExecutionState;
use domain::job::JobId;
use schemars::JsonSchema;
use serde::Serialize;
use store::executions;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::executions::{ExecutionPath, ExecutionView};

/// What stopping did.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StopExecutionResponse")]
pub struct Answer {
    /// Whether this stopped it.
    stopped: bool,
    /// The execution as it is then, with what it wrote.
    execution: ExecutionView,
}

/// Stops an execution, queued or running, and keeps what it wrote. One that has ended is left as it is, which is no error:
/// `stopped` is false then.
pub async fn handle(app: App, request: Request<ProjectWrite, ExecutionPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let at = request.path.target();
    let process =
        app.store.read(call, &at, async |tx, execution| executions::process(tx, execution).await).await?;
    if let Some(process) = process {
        app.jobs.stop(JobId::CodeExecution(at.execution), process).await;
    }
    // Where its process could not do it, this does.
    let (record, output) = app
        .store
        .mutate(call, &at, async |tx, execution| {
            let record = executions::stop(tx, execution, call.now).await?;
            Ok((record, executions::output(tx, execution).await?))
        })
        .await?;
    if process.is_some() {
        app.link.announce_events(record.session);
    }
    let stopped = process.is_some() && record.state == ExecutionState::Stopped;
    Ok(Reply::ok(Answer { stopped, execution: ExecutionView::of(record, Some(output)) }))
}
