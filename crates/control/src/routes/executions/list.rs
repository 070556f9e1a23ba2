//! List a session's executions.

use auth::actor::ProjectRead;
use domain::Result;
use domain::id::ExecutionId;
use domain::page::{Limit, PageMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::executions;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::executions::ExecutionView;
use crate::routes::page;
use crate::routes::sessions::SessionPath;

/// Which page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// 1 to 100, 50 unless said.
    limit: Option<String>,
    /// `meta.nextCursor` of the page before.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of executions, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListExecutionsResponse")]
pub struct Answer {
    executions: Vec<ExecutionView>,
    meta: PageMeta,
}

/// Lists the session's executions, newest first, without what they wrote; also those of a closed session.
pub async fn handle(app: App, request: Request<ProjectRead, SessionPath, Query>) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("executions", at.session);
    let cursor = request.query.cursor.as_deref();
    let before: Option<ExecutionId> = cursor.map(|cursor| app.cursors.open(&filter, cursor)).transpose()?;
    let rows = page::rows_to_ask(limit);
    let found = app
        .store
        .read(&request.call, &at, async |tx, session| executions::list(tx, session, before, rows).await)
        .await?;
    let (records, meta) = page::cut(&app.cursors, &filter, limit, found, |execution| execution.id)?;
    let executions = records.into_iter().map(|record| ExecutionView::of(record, None)).collect();
    Ok(Reply::ok(Answer { executions, meta }))
}
