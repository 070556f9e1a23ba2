//! List a project's branches.

use api::content::branches::{ListBranches, ListBranchesResponse};
use auth::actor::ProjectRead;
use domain::Result;
use domain::content::project::BranchName;
use store::content::branches;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;

/// Lists a project's branches by name, in byte order.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListBranches>,
) -> Result<Reply<ListBranchesResponse>> {
    let at = &request.path.project_id;
    let page: PageRequest<_, BranchName> =
        PageRequest::of(request.query, &app.cursors, ("branches", at.project))?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            branches::list(tx, project, page.from.as_ref(), page.rows()).await
        })
        .await?;
    let (branches, meta) = page.cut(found, |branch| branch.name.clone())?;
    Ok(Reply::ok(ListBranchesResponse { branches, meta }))
}
