//! List a project's public packages.

use auth::actor::ProjectRead;
use domain::Result;
use domain::error::Location;
use domain::id::ObjectId;
use domain::package::Package;
use domain::page::{LimitText, PageMeta};
use domain::project::BranchName;
use domain::text::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::packages;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::branches::at_branch;
use crate::routes::page::PageRequest;
use crate::routes::projects::ProjectPath;

/// The selection of packages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// The branch. Defaults to the default branch.
    branch: Option<BranchName>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of a project's public packages, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListPackagesResponse")]
pub struct Answer {
    packages: Vec<Package>,
    meta: PageMeta,
}

/// Lists the packages that other projects can include, by name in byte order.
pub async fn handle(app: App, request: Request<ProjectRead, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let Query { branch, limit, cursor } = request.query;
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
    Ok(Reply::ok(Answer { packages, meta }))
}
