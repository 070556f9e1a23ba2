//! Publish a package from the branch's last commit, so that other projects can include it.

use api::content::packages::{PackageResponse, PublishPackage};
use api::operation::Json;
use auth::actor::ProjectManage;
use domain::Result;
use domain::error::Location;
use store::content::packages;
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::content::packages::current;

/// Publishes a package, or moves a published one to the branch's last commit.
///
/// # Errors
/// `INVALID_REQUEST` if the object is not a package or not committed.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, PublishPackage>,
) -> Result<TaggedReply<PackageResponse>> {
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
    Ok(Reply::ok(PackageResponse { package }).etag(etag))
}
