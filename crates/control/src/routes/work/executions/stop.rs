//! Stop an execution.

use api::work::executions::{Execution, StopExecution, StopExecutionResponse};
use auth::actor::ProjectWrite;
use domain::Result;
use domain::work::execution::ExecutionState;
use store::work::executions;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Stops a queued or running execution and keeps its output. An execution that has ended is not an error: `stopped` is
/// false.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, StopExecution>,
) -> Result<Reply<StopExecutionResponse>> {
    let call = &request.call;
    let at = request.path.target();
    let process =
        app.store.read(call, &at, async |tx, execution| executions::process(tx, execution).await).await?;
    if let Some(process) = process {
        app.jobs.stop(at.execution, process).await;
    }
    // Fallback for a process that does not answer.
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
    Ok(Reply::ok(StopExecutionResponse { stopped, execution: Execution::of(record, Some(output)) }))
}
