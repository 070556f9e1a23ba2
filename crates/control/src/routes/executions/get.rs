//! Read an execution with its output so far.

use auth::actor::ProjectRead;
use domain::Result;
use store::{Execution, executions};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::executions::{ExecutionAnswer, ExecutionPath, ExecutionView};

/// Reads one execution with its output, as far as it is kept.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ExecutionPath>,
) -> Result<TaggedReply<ExecutionAnswer>> {
    let at = request.path.target();
    let found = async |tx: &mut _, execution: &Execution<ProjectRead>| {
        let output = executions::output(tx, execution).await?;
        Ok(ExecutionView::of(execution.record.clone(), Some(output)))
    };
    let execution = app.store.read(&request.call, &at, found).await?;
    Ok(Reply::ok(ExecutionAnswer { execution }).etag_of_body())
}
