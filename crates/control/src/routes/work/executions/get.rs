//! Read an execution with its output so far.

use api::work::executions::{Execution, ExecutionResponse, GetExecution};
use auth::actor::ProjectRead;
use domain::Result;
use store::work::executions;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Reads one execution with its output, as far as it is kept.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, GetExecution>,
) -> Result<TaggedReply<ExecutionResponse>> {
    let at = request.path.target();
    let found = async |tx: &mut _, execution: &store::Execution<ProjectRead>| {
        let output = executions::output(tx, execution).await?;
        Ok(Execution::of(execution.record.clone(), Some(output)))
    };
    let execution = app.store.read(&request.call, &at, found).await?;
    Ok(Reply::ok(ExecutionResponse { execution }).etag_of_body())
}
