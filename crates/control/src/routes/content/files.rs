//! The files that a project has, by their hashes.

use api::content::files::{HASHES_MAX, KnownFile, LookUpFiles, LookUpFilesRequest, LookUpFilesResponse};
use auth::actor::ProjectRead;
use domain::content::object::Sha256Hash;
use domain::{Error, Result, Rule};
use store::content::files;
use wire::{Endpoint, Reply, Request, endpoint};

use crate::app::App;

/// The endpoints of files.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(handle)]
}

/// Answers which files the project has, on any branch and in any commit.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, LookUpFiles>,
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
