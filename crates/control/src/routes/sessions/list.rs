//! List a project's open sessions.

use auth::actor::ProjectRead;
use domain::Result;
use domain::id::SessionId;
use domain::page::{Limit, PageMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::sessions;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page;
use crate::routes::projects::ProjectPath;
use crate::routes::sessions::{SessionView, statuses};

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

/// A page of sessions, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListSessionsResponse")]
pub struct Answer {
    sessions: Vec<SessionView>,
    meta: PageMeta,
}

/// Lists the project's sessions that are not closed, newest first.
pub async fn handle(app: App, request: Request<ProjectRead, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("sessions", at.project);
    let cursor = request.query.cursor.as_deref();
    let before: Option<SessionId> = cursor.map(|cursor| app.cursors.open(&filter, cursor)).transpose()?;
    let rows = page::rows_to_ask(limit);
    let found = app
        .store
        .read(&request.call, at, async |tx, project| sessions::list(tx, project, before, rows).await)
        .await?;
    let (records, meta) = page::cut(&app.cursors, &filter, limit, found, |session| session.id)?;
    let statuses = statuses(&app, &records).await;
    let views = records.into_iter().zip(statuses).map(|(record, status)| SessionView::of(record, status));
    let sessions = views.collect();
    Ok(Reply::ok(Answer { sessions, meta }))
}
