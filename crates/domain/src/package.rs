//! Public packages: what a project offers others to include.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{ObjectId, ProjectId};
use crate::object::CommitHash;
use crate::project::BranchName;
use crate::text::{Description, Name};
use crate::time::Timestamp;

/// A package that a project has published (contract, section 7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Package {
    /// The object that was published.
    pub id: ObjectId,
    /// Its name.
    pub name: Name,
    /// Its description; empty where none was given.
    pub description: Description,
    /// The branch on which it is published.
    pub branch: BranchName,
    /// The commit at which it was published.
    #[schemars(regex(pattern = "^[0-9a-f]{40}$"))]
    pub commit_hash: String,
    /// Number of its objects, itself included.
    pub object_count: u64,
    /// When it was last published.
    pub updated_at: Timestamp,
    /// What another project includes it by.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// A package of another project as an object includes it: by reference, pinned to a commit that was published. It
/// says nothing of the package that a reader who can't reach its project may not know.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Include {
    /// The project that published it.
    pub project_id: ProjectId,
    /// The object that was published.
    pub package_id: ObjectId,
    /// The commit that it is pinned to.
    pub commit_hash: CommitHash,
}
