//! Branches of a project, and what they hold that no commit does.

pub mod changes;
pub mod create;
pub mod delete;
pub mod discard;
pub mod get;
pub mod list;

use domain::commit::BranchRecord;
use domain::error::Location;
use domain::project::{BranchName, ProjectRef};
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The path of an operation on a branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The branch.
    branch: BranchName,
}

/// One branch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BranchResponse")]
pub struct BranchAnswer {
    /// The branch.
    branch: BranchRecord,
}

impl BranchPath {
    /// The project at the branch; where the path names the branch twice, the two agree.
    pub fn resolve(&self) -> Result<ProjectRef> {
        at_branch(&self.project_id, Some(&self.branch), "branch").map_err(|error| error.at(Location::Path))
    }
}

/// The project at the branch that `branch` names beside it, in `field`: where `at` names one,
/// too, the two agree.
///
/// # Errors
/// `INVALID_REQUEST` where they do not.
pub fn at_branch(at: &ProjectRef, branch: Option<&BranchName>, field: &str) -> Result<ProjectRef> {
    match (&at.branch, branch) {
        (Some(named), Some(branch)) if named != branch => {
            Err(Error::invalid(field, "agrees", "must be the branch that `projectId` names"))
        }
        (named, branch) => Ok(ProjectRef { project: at.project, branch: branch.or(named.as_ref()).cloned() }),
    }
}
