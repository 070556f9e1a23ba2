//! List a project's branches.

use auth::actor::ProjectRead;
use domain::Result;
use domain::commit::BranchRecord;
use domain::page::{Limit, PageMeta};
use domain::project::BranchName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::branches;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page;
use crate::routes::projects::ProjectPath;

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

/// A page of branches, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListBranchesResponse")]
pub struct Answer {
    branches: Vec<BranchRecord>,
    meta: PageMeta,
}

/// Lists a project's branches by name, byte by byte.
pub async fn handle(app: App, request: Request<ProjectRead, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("branches", at.project);
    let cursor = request.query.cursor;
    let after: Option<BranchName> = cursor.map(|cursor| app.cursors.open(&filter, &cursor)).transpose()?;
    let rows = page::rows_to_ask(limit);
    let found = app
        .store
        .read(&request.call, at, async |tx, project| branches::list(tx, project, after.as_ref(), rows).await)
        .await?;
    let (branches, meta) = page::cut(&app.cursors, &filter, limit, found, |branch| branch.name.clone())?;
    Ok(Reply::ok(Answer { branches, meta }))
}
