//! Branches of a project.

pub mod create;
pub mod delete;
pub mod get;
pub mod list;

use api::content::branches::BranchPath;
use auth::actor::ProjectWrite;
use domain::content::project::{BranchName, ProjectRef};
use domain::error::Location;
use domain::{Error, Result, Rule};
use store::Call;
use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of branches.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list::handle), endpoint(create::handle), endpoint(get::handle), endpoint(delete::handle)]
}

/// The project at the branch of a path.
///
/// # Errors
/// `INVALID_REQUEST` if the path names two different branches.
pub fn branch_of(path: &BranchPath) -> Result<ProjectRef> {
    at_branch(&path.project_id, Some(&path.branch), "branch").map_err(|error| error.at(Location::Path))
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
    let is_found = async |at: &ProjectRef| app.store.find(call, at).await.is_ok();
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
