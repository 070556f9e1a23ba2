//! List a project's public packages.

use auth::actor::ProjectRead;
use domain::Result;
use domain::package::Package;
use domain::project::BranchName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::packages;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::branches::at_branch;
use crate::routes::projects::ProjectPath;

/// Which packages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// The branch; the default branch unless said.
    branch: Option<BranchName>,
}

/// The packages that a project has published.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListPackagesResponse")]
pub struct Answer {
    packages: Vec<Package>,
}

/// Lists the packages that other projects can include by reference.
pub async fn handle(app: App, request: Request<ProjectRead, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let at = at_branch(&request.path.project_id, request.query.branch.as_ref(), "query.branch")?;
    let packages =
        app.store.read(&request.call, &at, async |tx, project| packages::list(tx, project).await).await?;
    Ok(Reply::ok(Answer { packages }))
}
