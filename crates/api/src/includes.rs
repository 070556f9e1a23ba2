//! Includes of other projects' packages.

use domain::id::{ObjectId, ProjectId};
use domain::object::{CommitHash, Tree};
use domain::package::{IncludeRecord, PackageRef};
use domain::text::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An include. Its JSON has the `ETag` of the include: the package's content follows from the pin.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct IncludeResponse {
    /// The include.
    pub include: IncludeRecord,
}

/// The package, by `ref` or by its ids, and its place in the tree.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateIncludeRequest {
    /// The package as `{projectId}/{packageId}@{commitHash}`. The commit is optional.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "package"))]
    pub reference: Option<PackageRef>,
    /// The project that published it. With `packageId`, instead of `ref`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The published object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package_id: Option<ObjectId>,
    /// A commit at which it was published. Defaults to its current publication on the default branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_hash: Option<CommitHash>,
    /// The parent object.
    pub parent: ObjectId,
    /// Name of the object. Defaults to that of the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
}

/// The include with its package's content.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetIncludeResponse {
    /// The include.
    pub include: IncludeRecord,
    /// The package's objects at the pin, itself first. Absent if the package is not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
}

/// The change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateIncludeRequest {
    /// A commit at which the package was published.
    pub commit_hash: CommitHash,
}
