//! Commits of a project.

pub mod create;
pub mod get;
pub mod list;

use domain::object::CommitHash;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use wire::{Endpoint, Resource, get, post};

use crate::app::App;

/// The endpoints of commits.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}").with([
        get("/branches/{branch}/commits", "listCommits", "Read a branch's history", list::handle)
            .tool("project")
            .everyday(),
        post("/branches/{branch}/commits", "createCommit", "Commit a branch's changes", create::handle)
            .tool("project")
            .everyday(),
        get("/commits/{hash}", "getCommit", "Read a commit", get::handle).tool("project"),
    ])
}

/// The path of a commit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The commit.
    pub hash: CommitHash,
}
