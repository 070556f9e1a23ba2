//! Packages of other projects that a project includes.

pub mod create;
pub mod get;
pub mod update;

use domain::id::ObjectId;
use domain::package::IncludeRecord;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The path of an operation on an include.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncludePath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The object that includes a package.
    include_id: ObjectId,
}

/// One include.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IncludeResponse")]
pub struct IncludeAnswer {
    /// The include.
    include: IncludeRecord,
}
