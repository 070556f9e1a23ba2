//! List a session's executions.

use api::work::executions::{Execution, ListExecutions, ListExecutionsResponse};
use auth::actor::ProjectRead;
use domain::Result;
use domain::id::ExecutionId;
use store::work::executions;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::target::PathTarget;

/// Lists the session's executions, newest first, without their output. Closed sessions are included.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListExecutions>,
) -> Result<Reply<ListExecutionsResponse>> {
    let at = request.path.target();
    let page: PageRequest<_, ExecutionId> =
        PageRequest::of(request.query, &app.cursors, ("executions", at.session))?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, session| {
            executions::list(tx, session, page.from, page.rows()).await
        })
        .await?;
    let (records, meta) = page.cut(found, |execution| execution.id)?;
    let executions = records.into_iter().map(|record| Execution::of(record, None)).collect();
    Ok(Reply::ok(ListExecutionsResponse { executions, meta }))
}
