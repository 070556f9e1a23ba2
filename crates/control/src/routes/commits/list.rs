//! Read a branch's history.

use auth::actor::ProjectRead;
use domain::Result;
use domain::commit::CommitRecord;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::content::commits::{self, LogPosition};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::branches::BranchPath;
use crate::routes::page::{PageQuery, PageRequest};

/// A page of commits, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListCommitsResponse")]
pub struct Answer {
    commits: Vec<CommitRecord>,
    meta: PageMeta,
}

/// Reads a branch's history, newest first: its commit and all ancestors, merged ones included.
pub async fn handle(app: App, request: Request<ProjectRead, BranchPath, PageQuery>) -> Result<Reply<Answer>> {
    let at = request.path.resolve()?;
    let page: PageRequest<_, LogPosition> =
        request.query.open(&app.cursors, ("commits", at.project, &at.branch))?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, project| {
            commits::list(tx, project, page.from.clone(), page.rows()).await
        })
        .await?;
    let (found, meta) = page.cut(found, |listed| listed.position.clone())?;
    let commits = found.into_iter().map(|listed| listed.commit).collect();
    Ok(Reply::ok(Answer { commits, meta }))
}
