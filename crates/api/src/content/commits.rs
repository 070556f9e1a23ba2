//! Commits.

use domain::content::commit::{CommitRecord, MESSAGE_MAX_CHARS};
use domain::content::object::CommitHash;
use domain::content::project::ProjectRef;
use domain::page::PageMeta;
use domain::text::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::branches::BranchPath;
use crate::operation::Json;
use crate::page::PageQuery;
use crate::{operations, tags};

operations! {
    tag: tags::COMMITS;

    /// Lists the commits of a branch in the order of `git log`.
    ListCommits = Get "/api/v2/projects/{projectId}/branches/{branch}/commits" {
        summary: "Read a branch's history",
        path: BranchPath,
        query: PageQuery,
        answer: ListCommitsResponse,
        effect: Reads,
        tool: Toolbox("project"),
        also: everyday(),
    }

    /// Turns all uncommitted changes of a branch into a commit. Without changes it is `NOTHING_TO_COMMIT`.
    CreateCommit = Post "/api/v2/projects/{projectId}/branches/{branch}/commits" {
        summary: "Commit a branch's changes",
        path: BranchPath,
        body: Json<CreateCommitRequest>,
        answer: CommitResponse,
        effect: Creates,
        tool: Toolbox("project"),
        also: everyday(),
    }

    /// Answers a commit with its message, author and parents.
    GetCommit = Get "/api/v2/projects/{projectId}/commits/{hash}" {
        summary: "Read a commit",
        path: CommitPath,
        answer: CommitResponse,
        effect: Reads,
        tool: Toolbox("project"),
    }
}

/// One commit.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommitResponse {
    /// The commit.
    pub commit: CommitRecord,
}

/// The commit's message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateCommitRequest {
    /// The commit's message.
    #[schemars(extend("format" = "visible-text"))]
    pub message: Text<MESSAGE_MAX_CHARS>,
}

/// A page of commits, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListCommitsResponse {
    /// The commits.
    pub commits: Vec<CommitRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// The path of a commit.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The commit.
    pub hash: CommitHash,
}
