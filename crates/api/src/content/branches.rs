//! Branches.

use domain::content::commit::BranchRecord;
use domain::content::object::CommitHash;
use domain::content::project::{BranchName, ProjectRef};
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::page::PageQuery;
use crate::{operations, tags};

operations! {
    tag: tags::BRANCHES;

    /// Lists the branches of a project with their last commits.
    ListBranches = Get "/api/v2/projects/{projectId}/branches" {
        summary: "List a project's branches",
        path: ProjectPath,
        query: PageQuery,
        answer: ListBranchesResponse,
        effect: Reads,
        tool: Toolbox("project"),
        also: everyday(),
    }

    /// Creates a branch at another branch's head or at a commit. A name that is taken, or that lies below another
    /// branch's, is `BRANCH_CONFLICT`. A project has a limited number of branches: `LIMIT_REACHED`.
    CreateBranch = Post "/api/v2/projects/{projectId}/branches" {
        summary: "Create a branch",
        path: ProjectPath,
        body: Json<CreateBranchRequest>,
        answer: BranchResponse,
        effect: Creates,
        tool: Toolbox("project"),
        also: everyday(),
    }

    /// Answers a branch with its last commit.
    GetBranch = Get "/api/v2/projects/{projectId}/branches/{branch}" {
        summary: "Read a branch",
        path: BranchPath,
        answer: BranchResponse,
        effect: Reads,
        tool: NotATool("the tree and the changes show the state of a session's branch"),
    }

    /// Deletes a branch, discards its uncommitted changes and closes its sessions. Its commits stay. The default branch
    /// can't be deleted: `BRANCH_CONFLICT`.
    DeleteBranch = Delete "/api/v2/projects/{projectId}/branches/{branch}" {
        summary: "Delete a branch",
        path: BranchPath,
        answer: DeleteBranchResponse,
        effect: Idempotent,
        tool: NotATool("a session keeps the branch that it works on"),
        also: conditional(),
    }
}

/// One branch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BranchResponse {
    /// The branch.
    pub branch: BranchRecord,
}

/// A branch to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateBranchRequest {
    /// Name.
    pub name: BranchName,
    /// The branch at whose head the new one starts. Defaults to the default branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_branch: Option<BranchName>,
    /// The commit at which the branch starts, on any branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_commit: Option<CommitHash>,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteBranchResponse {
    /// Always true.
    pub deleted: bool,
    /// The branch's name.
    pub branch: BranchName,
}

/// A page of branches, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListBranchesResponse {
    /// The branches.
    pub branches: Vec<BranchRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// The path of an operation on a branch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The branch.
    pub branch: BranchName,
}
