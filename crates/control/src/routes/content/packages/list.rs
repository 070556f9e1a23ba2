//! List a project's public packages.

use api::content::packages::{ListPackages, ListPackagesQuery, ListPackagesResponse};
use auth::actor::ProjectRead;
use domain::Result;
use domain::error::Location;
use domain::id::ObjectId;
use domain::text::Name;
use store::content::packages;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::content::branches::at_branch;
use crate::routes::page::PageRequest;

/// Lists the packages that other projects can include, by name in byte order.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListPackages>,
) -> Result<Reply<ListPackagesResponse>> {
    let ListPackagesQuery { branch, limit, cursor } = request.query;
    let at = at_branch(&request.path.project_id, branch.as_ref(), "branch")
        .map_err(|error| error.at(Location::Query))?;
    let page: PageRequest<_, (Name, ObjectId)> =
        PageRequest::open(&app.cursors, ("packages", at.project, &at.branch), limit, cursor)?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, project| {
            packages::list(tx, project, page.from.as_ref(), page.rows()).await
        })
        .await?;
    let (packages, meta) = page.cut(found, |package| (package.name.clone(), package.id))?;
    Ok(Reply::ok(ListPackagesResponse { packages, meta }))
}
