//! Projects and what is read of their content.

pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod packages;
pub mod tree;
pub mod update;

use domain::project::{ProjectRecord, ProjectRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The path of an operation on one project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
}

/// One project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectAnswer {
    /// The project.
    pub project: ProjectRecord,
}
