//! Read the uncommitted changes of a branch.

use auth::actor::ProjectRead;
use domain::object::UncommittedChanges;
use domain::project::{BranchName, ProjectRef};
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::changes;
use wire::{Reply, Request};

use crate::app::App;

/// The path of an operation on a branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The branch.
    branch: BranchName,
}

/// Reads what a branch holds that its head commit does not.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, BranchPath>,
) -> Result<Reply<UncommittedChanges>> {
    let at = request.path.resolve()?;
    let changes =
        app.store.read(&request.call, &at, async |tx, project| changes::get(tx, project).await).await?;
    Ok(Reply::ok(changes))
}

impl BranchPath {
    /// The project at the branch; where the path names the branch twice, the two agree.
    fn resolve(&self) -> Result<ProjectRef> {
        if self.project_id.branch.as_ref().is_some_and(|branch| *branch != self.branch) {
            return Err(Error::invalid("path.branch", "agrees", "must be the branch that `projectId` names"));
        }
        Ok(ProjectRef { project: self.project_id.project, branch: Some(self.branch.clone()) })
    }
}
