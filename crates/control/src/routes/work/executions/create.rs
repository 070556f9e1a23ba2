//! Execute a Code object. This process queues and runs it.

use api::work::executions::{CreateExecution, CreateExecutionRequest, Execution, ExecutionResponse};
use auth::actor::ProjectWrite;
use domain::Result;
use domain::work::execution::check_input;
use store::work::executions::{self, NewExecution};
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Executes the current text of a Code object in a sandbox that can reach only the data plane. Its output appears in
/// the session's events and in the execution.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CreateExecution>,
) -> Result<TaggedCreated<ExecutionResponse>> {
    let call = &request.call;
    let at = request.path.target();
    let CreateExecutionRequest { object_id: object, input } = request.body.0;
    check_input(&input)?;
    let new = NewExecution { object, input, process: app.link.process() };
    let queued = app
        .store
        .create(call, &at, async |tx, session| executions::create(tx, session, call, &new).await)
        .await?;
    if !queued.replayed {
        app.link.announce_events(at.session);
        app.jobs.start(queued.value.id);
    }
    let answer = |record| ExecutionResponse { execution: Execution::of(record, Some(String::new())) };
    Ok(Reply::created(queued.map(answer)).etag_of_body())
}
