//! Branches of a project.

pub mod create;
pub mod delete;
pub mod get;
pub mod list;

use auth::actor::ProjectWrite;
use domain::error::Location;
use domain::project::{BranchName, ProjectRef};
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Call;
use wire::{Endpoint, Resource, delete, get, post};

use crate::app::App;

/// The endpoints of branches.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/branches").with([
        get("", "listBranches", "List a project's branches", list::handle).tool("project").everyday(),
        post("", "createBranch", "Create a branch", create::handle).tool("project").everyday(),
        get("/{branch}", "getBranch", "Read a branch", get::handle)
            .not_a_tool("the tree and the changes show the state of a session's branch"),
        delete("/{branch}", "deleteBranch", "Delete a branch", delete::handle)
            .conditional()
            .not_a_tool("a session keeps the branch that it works on"),
    ])
}

/// The path of an operation on a branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The branch.
    pub branch: BranchName,
}

impl BranchPath {
    /// The project at the branch.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if the path names two different branches.
    pub fn resolve(&self) -> Result<ProjectRef> {
        at_branch(&self.project_id, Some(&self.branch), "branch").map_err(|error| error.at(Location::Path))
    }
}

/// The failure of work on a branch that `field` of the body names. A project that is visible without it lacks the branch.
pub async fn absent_branch(
    app: &App,
    call: &Call<ProjectWrite>,
    at: &ProjectRef,
    field: &str,
    error: Error,
) -> Error {
    let without = ProjectRef { project: at.project, branch: None };
    let is_found = async |at: &ProjectRef| app.store.read(call, at, async |_, _| Ok(())).await.is_ok();
    if is_found(&without).await && !is_found(at).await { error.named_by(field) } else { error }
}

/// Combines a project with a branch that `field` names separately.
///
/// # Errors
/// `INVALID_REQUEST` if `at` names another branch.
pub fn at_branch(at: &ProjectRef, branch: Option<&BranchName>, field: &str) -> Result<ProjectRef> {
    match (&at.branch, branch) {
        (Some(named), Some(branch)) if named != branch => Err(Error::invalid(
            field,
            Rule::conflict("projectId"),
            "must be the branch that `projectId` names",
        )),
        (named, branch) => Ok(ProjectRef { project: at.project, branch: branch.or(named.as_ref()).cloned() }),
    }
}
