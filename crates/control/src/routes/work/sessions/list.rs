//! List a project's open sessions.

use api::work::sessions::{ListSessions, ListSessionsResponse};
use auth::actor::ProjectRead;
use domain::Result;
use domain::id::SessionId;
use store::work::sessions;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::work::sessions::{statuses, view};

/// Lists the project's open sessions, newest first; with `{projectId}--{branchName}` those of the branch.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListSessions>,
) -> Result<Reply<ListSessionsResponse>> {
    let at = &request.path.project_id;
    let page: PageRequest<_, SessionId> =
        PageRequest::of(request.query, &app.cursors, ("sessions", at.project, &at.branch))?;
    let (owner, found) = app
        .store
        .read(&request.call, at, async |tx, project| {
            let listed = sessions::list(tx, project, at.branch.as_ref(), page.from, page.rows()).await?;
            Ok((project.record.owner_id, listed))
        })
        .await?;
    let (records, meta) = page.cut(found, |session| session.id)?;
    let statuses = statuses(&app, &records).await;
    let shown = |(record, status)| view(&app, owner, record, status);
    let sessions = records.into_iter().zip(statuses).map(shown).collect();
    Ok(Reply::ok(ListSessionsResponse { sessions, meta }))
}
