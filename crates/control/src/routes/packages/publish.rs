//! Publish a package from the branch's last commit, so that other projects can include it.

use auth::actor::ProjectManage;
use domain::Result;
use domain::error::Location;
use domain::text::Description;
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::packages;
use wire::{ETag, Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::packages::{PackageAnswer, PackagePath, current};

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
) -> Result<TaggedReply<PackageAnswer>> {
    let (call, path) = (&request.call, &request.path);
    let expected = request.head.if_match()?;
    let description = request.body.and_then(|Json(body)| body.description).unwrap_or_default();
    let package = app
        .store
        .mutate(call, &path.project_id, async |tx, project| {
            if expected.is_some() {
                let published = packages::hold(tx, project, path.package_id).await?;
                wire::check_if_match_any(expected.as_ref(), published.as_ref().map(current).as_ref())?;
            }
            packages::publish(tx, project, call, path.package_id, &description).await
        })
        .await
        .map_err(|error| error.or_at(Location::Path))?;
    let etag = ETag::of_json(&current(&package))?;
    Ok(Reply::ok(PackageAnswer { package }).etag(etag))
}
