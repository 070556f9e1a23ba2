//! Read a branch's history.

use auth::actor::ProjectRead;
use domain::Result;
use domain::commit::CommitRecord;
use domain::page::{Limit, PageMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::commits::{self, Position};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::branches::BranchPath;
use crate::routes::page;

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

/// A page of commits, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListCommitsResponse")]
pub struct Answer {
    commits: Vec<CommitRecord>,
    meta: PageMeta,
}

/// Reads a branch's history, newest first: its commit and every one that it follows, merged ones included.
pub async fn handle(app: App, request: Request<ProjectRead, BranchPath, Query>) -> Result<Reply<Answer>> {
    let at = request.path.resolve()?;
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("commits", at.project, &at.branch);
    let cursor = request.query.cursor;
    let position: Option<Position> = cursor.map(|cursor| app.cursors.open(&filter, &cursor)).transpose()?;
    let rows = page::rows_to_ask(limit);
    let found = app
        .store
        .read(&request.call, &at, async |tx, project| {
            commits::list(tx, project, position.clone(), rows).await
        })
        .await?;
    let (found, meta) = page::cut(&app.cursors, &filter, limit, found, |listed| listed.position.clone())?;
    let commits = found.into_iter().map(|listed| listed.commit).collect();
    Ok(Reply::ok(Answer { commits, meta }))
}
