//! List a project's branches.

use auth::actor::ProjectRead;
use domain::Result;
use domain::commit::BranchRecord;
use domain::page::PageMeta;
use domain::project::BranchName;
use schemars::JsonSchema;
use serde::Serialize;
use store::content::branches;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{PageQuery, PageRequest};
use crate::routes::projects::ProjectPath;

/// A page of branches, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListBranchesResponse")]
pub struct Answer {
    branches: Vec<BranchRecord>,
    meta: PageMeta,
}

/// Lists a project's branches by name, in byte order.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ProjectPath, PageQuery>,
) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let page: PageRequest<_, BranchName> = request.query.open(&app.cursors, ("branches", at.project))?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            branches::list(tx, project, page.from.as_ref(), page.rows()).await
        })
        .await?;
    let (branches, meta) = page.cut(found, |branch| branch.name.clone())?;
    Ok(Reply::ok(Answer { branches, meta }))
}
