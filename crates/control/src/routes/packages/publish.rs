//! Publish a package from the branch's last commit, so that other projects can include it.

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

/// The package's description; the body is optional.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PublishPackageRequest")]
pub struct Body {
    /// Description. Defaults to an empty text.
    description: Option<Description>,
}

/// Publishes a package, or moves a published one to the branch's last commit.
///
/// # Errors
/// `INVALID_REQUEST` if the object is not a package or not committed.
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
