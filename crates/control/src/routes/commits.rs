//! Commits of a project.

pub mod create;
pub mod get;
pub mod list;

use domain::commit::CommitRecord;
use domain::object::CommitHash;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The path of a commit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The commit.
    pub hash: CommitHash,
}

/// One commit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CommitResponse")]
pub struct CommitAnswer {
    /// The commit.
    commit: CommitRecord,
}
