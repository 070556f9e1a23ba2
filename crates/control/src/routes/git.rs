//! Projects as Git repositories for Git clients: clone, fetch, and files by Git LFS. Read-only: a push is refused,
//! and the other operations change content.

pub mod lfs_batch;
pub mod protocol;
pub mod references;
pub mod upload_pack;

use std::str::FromStr;

use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::Error as _;
use wire::{Endpoint, Header, Resource, get, post};

use crate::app::App;
use crate::routes::git::protocol::GIT;

/// The header with the version of Git's protocol.
const GIT_PROTOCOL: Header = ("Git-Protocol", "The version of Git's protocol: `version=2`, or an older one.");

/// The endpoints of repositories.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/git/{projectId}").with([
        get("/info/refs", "getGitReferences", "Begin a clone, a fetch or a push", references::handle)
            .speaks(&GIT)
            .reads(&[GIT_PROTOCOL])
            .not_a_tool("only for Git clients"),
        post("/git-upload-pack", "fetchGit", "Clone or fetch", upload_pack::handle)
            .speaks(&GIT)
            .reads(&[GIT_PROTOCOL])
            .only_reads()
            .not_a_tool("only for Git clients"),
        post("/info/lfs/objects/batch", "batchLfs", "Find the files of a clone", lfs_batch::handle)
            .speaks(&GIT)
            .shows_secret()
            .only_reads()
            .not_a_tool("only for Git clients"),
    ])
}

/// Optional suffix of a repository's URL.
pub const SUFFIX: &str = ".git";
/// The message that refuses a push.
const READ_ONLY: &str = "this repository is read-only: change the project through its API";

/// The path of an operation on a repository.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepositoryPath {
    /// The project, or `{projectId}--{branchName}` to clone at that branch; optionally followed by `.git`.
    #[serde(deserialize_with = "repository")]
    #[schemars(with = "String")]
    project_id: ProjectRef,
}

fn repository<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<ProjectRef, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    let name = text.strip_suffix(SUFFIX).unwrap_or(&text);
    ProjectRef::from_str(name).map_err(D::Error::custom)
}
