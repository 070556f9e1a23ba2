//! Projects as Git repositories, for Git's own clients: clone, fetch, and files by Git LFS. Reading alone: content is
//! changed by the other operations, and a push is refused.

pub mod lfs_batch;
pub mod references;
pub mod upload_pack;

use std::str::FromStr;

use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::Error as _;

/// What a URL of a repository may end with.
pub const SUFFIX: &str = ".git";
/// Why a push is refused.
const READ_ONLY: &str = "this repository is read-only: change the project through its API";

/// The path of an operation on a repository.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepositoryPath {
    /// The project, or `{projectId}--{branchName}`, which clones at that branch; `.git` may follow.
    #[serde(deserialize_with = "repository")]
    #[schemars(with = "String")]
    project_id: ProjectRef,
}

fn repository<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<ProjectRef, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    let name = text.strip_suffix(SUFFIX).unwrap_or(&text);
    ProjectRef::from_str(name).map_err(D::Error::custom)
}
