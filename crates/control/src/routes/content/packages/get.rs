//! Read a public package with its content.

use api::content::packages::{GetPackage, GetPackageResponse};
use auth::actor::ProjectRead;
use domain::{Error, Result};
use store::content::packages;
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::content::packages::PackageState;

/// Reads a package at a commit at which it was published.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, GetPackage>,
) -> Result<TaggedReply<GetPackageResponse>> {
    let (path, commit) = (&request.path, request.query.commit_hash);
    let (etag, answer) = app
        .store
        .read(&request.call, &path.project_id, async |tx, project| {
            let found = packages::find(tx, project, path.package_id, commit).await?;
            let package = found.ok_or_else(Error::not_found)?;
            let at = match commit {
                Some(commit) => commit,
                None => package.commit_hash.parse().map_err(Error::internal)?,
            };
            let tree = packages::content(tx, project, path.package_id, at).await?;
            let commit = at.to_string();
            let state: PackageState<'_> = (&package, &commit);
            Ok((ETag::of_json(&state)?, GetPackageResponse { package, tree }))
        })
        .await?;
    Ok(Reply::ok(answer).etag(etag))
}
