//! Publish a package as the branch's last commit holds it, so that other projects can include it.

use auth::actor::ProjectManage;
use domain::Result;
use domain::error::Location;
use domain::text::Description;
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::packages;
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::packages::{PackageAnswer, PackagePath};

/// What is said of the package; the body may be left out.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PublishPackageRequest")]
pub struct Body {
    /// Description; empty unless said.
    description: Option<Description>,
}

/// Publishes a package; one that is published already moves to the branch's last commit.
///
/// # Errors
/// `INVALID_REQUEST` where the object is no package, or no commit holds it.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, PackagePath, NoQuery, Option<Json<Body>>>,
) -> Result<Reply<PackageAnswer>> {
    let (call, path) = (&request.call, &request.path);
    let description = request.body.and_then(|Json(body)| body.description).unwrap_or_default();
    let package = app
        .store
        .mutate(call, &path.project_id, async |tx, project| {
            packages::publish(tx, project, call, path.package_id, &description).await
        })
        .await
        .map_err(|error| error.or_at(Location::Path))?;
    Ok(Reply::ok(PackageAnswer { package }))
}
