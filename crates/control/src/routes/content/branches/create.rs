//! Create a branch.

use api::content::branches::{BranchResponse, CreateBranch, CreateBranchRequest};
use api::content::git;
use auth::actor::ProjectWrite;
use domain::{Code, Error, Result, Rule};
use store::content::branches::{self, NewBranch};
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::content::branches::{absent_branch, at_branch};

/// Creates a branch at the head of another, or at any commit of the project. Uncommitted changes are not copied.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CreateBranch>,
) -> Result<TaggedCreated<BranchResponse>> {
    let call = &request.call;
    let CreateBranchRequest { name, from_branch, from_commit } = request.body.0;
    // The URL of a repository may end with it, so a branch name can't.
    if name.as_str().ends_with(git::SUFFIX) {
        return Err(Error::invalid("name", Rule::format("branch"), "must not end with `.git`"));
    }
    let at = at_branch(&request.path.project_id, from_branch.as_ref(), "fromBranch")?;
    let new = NewBranch { name, commit: from_commit };
    let created = app
        .store
        .create(call, &at, async |tx, project| {
            branches::create(tx, project, call, &new, app.bounds.branches_per_project).await
        })
        .await;
    let created = match created {
        Err(error) if error.code == Code::NotFound && from_branch.is_some() => {
            return Err(absent_branch(&app, call, &at, "fromBranch", error).await);
        }
        created => created?,
    };
    Ok(Reply::created(created.map(|branch| BranchResponse { branch })).etag_of_body())
}
