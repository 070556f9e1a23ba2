//! Includes of other projects' packages.

use domain::content::object::{CommitHash, Tree};
use domain::content::package::{IncludeRecord, PackageRef};
use domain::content::project::ProjectRef;
use domain::id::{ObjectId, ProjectId};
use domain::text::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::{operations, tags};

operations! {
    tag: tags::INCLUDES;

    /// Adds an object that pins another project's package to a published commit. One that leads back to its own project
    /// is `INCLUDE_CYCLE`. Causes the event `objects.changed`.
    CreateInclude = Post "/api/v2/projects/{projectId}/includes" {
        summary: "Include a package of another project",
        path: ProjectPath,
        body: Json<CreateIncludeRequest>,
        answer: IncludeResponse,
        effect: Creates,
        tool: Toolbox("project"),
    }

    /// Answers an include with the objects of its package. What the reader can't reach shows `available: false`.
    GetInclude = Get "/api/v2/projects/{projectId}/includes/{includeId}" {
        summary: "Read an include with its content",
        path: IncludePath,
        answer: GetIncludeResponse,
        effect: Reads,
        tool: Toolbox("project"),
    }

    /// Pins an include to another published commit. One that leads back to its own project is `INCLUDE_CYCLE`. Causes
    /// the event `objects.changed`.
    UpdateInclude = Patch "/api/v2/projects/{projectId}/includes/{includeId}" {
        summary: "Pin an include to another commit",
        path: IncludePath,
        body: Json<UpdateIncludeRequest>,
        answer: IncludeResponse,
        effect: Changes,
        tool: Toolbox("project"),
        also: conditional(),
    }
}

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

/// The path of an operation on an include.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncludePath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The object that includes a package.
    pub include_id: ObjectId,
}
