//! Projects and their trees.

pub mod create;
pub mod delete;
pub mod events;
pub mod get;
pub mod list;
pub mod members;
pub mod transfer;
pub mod tree;
pub mod update;

use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use wire::{Endpoint, Resource, delete, get, patch, post, put};

use crate::app::App;

/// The endpoints of projects.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects").with([
        get("", "listProjects", "List the caller's projects", list::handle)
            .tool_of_clients("project", "a session has one project")
            .everyday(),
        post("", "createProject", "Create a project", create::handle)
            .tool_of_clients("project", "a session has one project")
            .everyday(),
        get("/{projectId}", "getProject", "Read a project", get::handle).tool("project").everyday(),
        patch("/{projectId}", "updateProject", "Change a project", update::handle)
            .conditional()
            .not_a_tool("text that an agent reads must not decide who sees the project"),
        delete("/{projectId}", "deleteProject", "Delete a project", delete::handle)
            .conditional()
            .not_a_tool("a session ends with its project"),
        get("/{projectId}/events", "streamProjectEvents", "Follow a project's events", events::handle)
            .reads(&[("Last-Event-ID", "The `id` of the last event that the client has seen.")])
            .not_a_tool("is an endless stream"),
        get("/{projectId}/members", "listProjectMembers", "List a project's members", members::list::handle)
            .tool("project"),
        put(
            "/{projectId}/members/{memberId}",
            "putProjectMember",
            "Share a project with a user",
            members::put::handle,
        )
        .not_a_tool("text that an agent reads must not decide who sees the project"),
        delete(
            "/{projectId}/members/{memberId}",
            "removeProjectMember",
            "End a membership of a project",
            members::remove::handle,
        )
        .not_a_tool("text that an agent reads must not decide who sees the project"),
        post("/{projectId}/transfer", "transferProject", "Give a project another owner", transfer::handle)
            .not_a_tool("text that an agent reads must not decide who owns the project"),
        get("/{projectId}/tree", "getTree", "Read the object tree", tree::handle).tool("project").everyday(),
    ])
}

/// The path of an operation on one project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
}
