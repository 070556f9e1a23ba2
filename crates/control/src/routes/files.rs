//! The files that a project has, by their hashes.

use api::files::{HASHES_MAX, KnownFile, LookUpFilesRequest, LookUpFilesResponse};
use auth::actor::ProjectRead;
use domain::object::Sha256Hash;
use domain::{Error, Result, Rule};
use store::content::files;
use wire::{Endpoint, Json, NoQuery, Reply, Request, Resource, post};

use crate::app::App;
use crate::routes::projects::ProjectPath;

/// The endpoints of files.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/files").with([post(
        "/lookup",
        "lookUpFiles",
        "Find out which files a project has already",
        handle,
    )
    .only_reads()
    .not_a_tool("an agent has no files to compare")])
}

/// Answers which files the project has, on any branch and in any commit.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ProjectPath, NoQuery, Json<LookUpFilesRequest>>,
) -> Result<Reply<LookUpFilesResponse>> {
    let LookUpFilesRequest { hashes } = request.body.0;
    if hashes.is_empty() {
        return Err(Error::broken("hashes", Rule::MinItems(1)));
    }
    if hashes.len() > HASHES_MAX {
        return Err(Error::broken("hashes", Rule::MaxItems(HASHES_MAX)));
    }
    let sizes = app
        .store
        .read(&request.call, &request.path.project_id, async |tx, project| {
            files::sizes(tx, project, &hashes).await
        })
        .await?;
    let known = |sha256: &Sha256Hash| Some(KnownFile { sha256: *sha256, size: *sizes.get(sha256)? });
    Ok(Reply::ok(LookUpFilesResponse { files: hashes.iter().filter_map(known).collect() }))
}
