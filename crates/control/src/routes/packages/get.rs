//! Read a public package with its content.

use auth::actor::ProjectRead;
use domain::object::{CommitHash, Tree};
use domain::package::Package;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::packages;
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::packages::{PackagePath, PackageState};

/// The selection of a version.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// A commit at which it was published, on any branch. Defaults to the branch's own publication.
    commit_hash: Option<CommitHash>,
}

/// The package with its content.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GetPackageResponse")]
pub struct Answer {
    /// The package as currently published.
    package: Package,
    /// Its objects at the requested commit, itself first.
    tree: Tree,
}

/// Reads a package at a commit at which it was published.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, PackagePath, Query>,
) -> Result<TaggedReply<Answer>> {
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
            Ok((ETag::of_json(&state)?, Answer { package, tree }))
        })
        .await?;
    Ok(Reply::ok(answer).etag(etag))
}
