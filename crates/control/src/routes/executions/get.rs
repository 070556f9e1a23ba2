//! Read an execution with what it wrote so far.

use auth::actor::ProjectRead;
use domain::Result;
use store::{Execution, executions};
use wire::{Reply, Request, Tagged};

use crate::app::App;
use crate::routes::executions::{ExecutionAnswer, ExecutionPath, ExecutionView};

/// Reads one execution, with as much of what it wrote as is kept.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ExecutionPath>,
) -> Result<Tagged<ExecutionAnswer>> {
    let at = request.path.target();
    let found = async |tx: &mut _, execution: &Execution<ProjectRead>| {
        let output = executions::output(tx, execution).await?;
        Ok(ExecutionView::of(execution.record.clone(), Some(output)))
    };
    let execution = app.store.read(&request.call, &at, found).await?;
    Ok(Reply::ok(ExecutionAnswer { execution }).etag_of_body())
}
