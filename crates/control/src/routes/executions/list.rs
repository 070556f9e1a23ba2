//! List a session's executions.

use auth::actor::ProjectRead;
use domain::Result;
use domain::id::ExecutionId;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::executions;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::executions::ExecutionView;
use crate::routes::page::{PageQuery, PageRequest};
use crate::routes::sessions::SessionPath;

/// A page of executions, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListExecutionsResponse")]
pub struct Answer {
    executions: Vec<ExecutionView>,
    meta: PageMeta,
}

/// Lists the session's executions, newest first, without their output. Closed sessions are included.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, SessionPath, PageQuery>,
) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let page: PageRequest<_, ExecutionId> = request.query.open(&app.cursors, ("executions", at.session))?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, session| {
            executions::list(tx, session, page.from, page.rows()).await
        })
        .await?;
    let (records, meta) = page.cut(found, |execution| execution.id)?;
    let executions = records.into_iter().map(|record| ExecutionView::of(record, None)).collect();
    Ok(Reply::ok(Answer { executions, meta }))
}
