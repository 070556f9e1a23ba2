//! List a project's open sessions.

use auth::actor::ProjectRead;
use domain::Result;
use domain::id::SessionId;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::sessions;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{PageQuery, PageRequest};
use crate::routes::projects::ProjectPath;
use crate::routes::sessions::{SessionView, statuses};

/// A page of sessions, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListSessionsResponse")]
pub struct Answer {
    sessions: Vec<SessionView>,
    meta: PageMeta,
}

/// Lists the project's open sessions, newest first; with `{projectId}--{branchName}` those of the branch.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ProjectPath, PageQuery>,
) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let page: PageRequest<_, SessionId> =
        request.query.open(&app.cursors, ("sessions", at.project, &at.branch))?;
    let (owner, found) = app
        .store
        .read(&request.call, at, async |tx, project| {
            let listed = sessions::list(tx, project, at.branch.as_ref(), page.from, page.rows()).await?;
            Ok((project.record.owner_id, listed))
        })
        .await?;
    let (records, meta) = page.cut(found, |session| session.id)?;
    let statuses = statuses(&app, &records).await;
    let view = |(record, status)| SessionView::of(&app, owner, record, status);
    let sessions = records.into_iter().zip(statuses).map(view).collect();
    Ok(Reply::ok(Answer { sessions, meta }))
}
