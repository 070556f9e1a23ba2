//! Create a branch.

use auth::actor::ProjectWrite;
use domain::object::CommitHash;
use domain::project::BranchName;
use domain::{Code, Error, Result, Rule};
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::branches::{self, NewBranch};
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::branches::{BranchAnswer, absent_branch, at_branch};
use crate::routes::git;
use crate::routes::projects::ProjectPath;

/// A branch to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateBranchRequest")]
pub struct Body {
    /// Name.
    name: BranchName,
    /// The branch at whose head the new one starts. Defaults to the default branch.
    from_branch: Option<BranchName>,
    /// The commit at which the branch starts, on any branch.
    from_commit: Option<CommitHash>,
}

/// Creates a branch at the head of another, or at any commit of the project. Uncommitted changes are not copied.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ProjectPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<BranchAnswer>> {
    let call = &request.call;
    let Body { name, from_branch, from_commit } = request.body.0;
    // The URL of a repository may end with it, so a branch name can't.
    if name.as_str().ends_with(git::SUFFIX) {
        return Err(Error::invalid("name", Rule::format("branch"), "must not end with `.git`"));
    }
    let at = at_branch(&request.path.project_id, from_branch.as_ref(), "fromBranch")?;
    let new = NewBranch { name, commit: from_commit };
    let created = app
        .store
        .create(call, &at, async |tx, project| {
            branches::create(tx, project, call, &new, app.limits.branches).await
        })
        .await;
    let created = match created {
        Err(error) if error.code == Code::NotFound && from_branch.is_some() => {
            return Err(absent_branch(&app, call, &at, "fromBranch", error).await);
        }
        created => created?,
    };
    Ok(Reply::created(created.map(|branch| BranchAnswer { branch })).etag_of_body())
}
