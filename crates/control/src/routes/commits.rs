//! Commits of a project.

pub mod create;
pub mod get;
pub mod list;

use domain::commit::CommitRecord;
use schemars::JsonSchema;
use serde::Serialize;

/// One commit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CommitResponse")]
pub struct CommitAnswer {
    /// The commit.
    commit: CommitRecord,
}
