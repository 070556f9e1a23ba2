//! The files that a project has, by their hashes.

use auth::actor::ProjectRead;
use domain::object::Sha256Hash;
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::files;
use wire::{Endpoint, Json, NoQuery, Reply, Request, Resource, post};

use crate::app::App;
use crate::routes::projects::ProjectPath;

/// Most hashes of a request. They fit into the body of ordinary requests.
const HASHES_MAX: usize = 10_000;

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

/// The hashes of files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LookUpFilesRequest")]
pub struct Body {
    /// SHA-256 of each file.
    #[schemars(length(min = 1, max = HASHES_MAX))]
    hashes: Vec<Sha256Hash>,
}

/// The files that the project has.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LookUpFilesResponse")]
pub struct Answer {
    /// Those of the files that the project has, in the order of the request. The others are absent.
    files: Vec<KnownFile>,
}

/// A file that a project has.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "KnownFile")]
pub struct KnownFile {
    /// SHA-256 of its bytes.
    sha256: Sha256Hash,
    /// Its size in bytes.
    size: u64,
}

/// Answers which files the project has, on any branch and in any commit.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ProjectPath, NoQuery, Json<Body>>,
) -> Result<Reply<Answer>> {
    let Body { hashes } = request.body.0;
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
    Ok(Reply::ok(Answer { files: hashes.iter().filter_map(known).collect() }))
}
