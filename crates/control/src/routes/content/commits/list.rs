//! Read a branch's history.

use api::content::commits::{ListCommits, ListCommitsResponse};
use auth::actor::ProjectRead;
use domain::Result;
use store::content::commits::{self, LogPosition};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::content::branches::branch_of;
use crate::routes::page::PageRequest;

/// Reads a branch's history, newest first: its commit and all ancestors, merged ones included.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListCommits>,
) -> Result<Reply<ListCommitsResponse>> {
    let at = branch_of(&request.path)?;
    let page: PageRequest<_, LogPosition> =
        PageRequest::of(request.query, &app.cursors, ("commits", at.project, &at.branch))?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, project| {
            commits::list(tx, project, page.from.clone(), page.rows()).await
        })
        .await?;
    let (found, meta) = page.cut(found, |listed| listed.position.clone())?;
    let commits = found.into_iter().map(|listed| listed.commit).collect();
    Ok(Reply::ok(ListCommitsResponse { commits, meta }))
}
