//! Includes: packages of other projects in a project.

pub mod create;
pub mod get;
pub mod update;

use domain::id::ObjectId;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use wire::{Endpoint, Resource, get, patch, post};

use crate::app::App;

/// The endpoints of includes.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/includes").with([
        post("", "createInclude", "Include a package of another project", create::handle).tool("project"),
        get("/{includeId}", "getInclude", "Read an include with its content", get::handle).tool("project"),
        patch("/{includeId}", "updateInclude", "Pin an include to another commit", update::handle)
            .conditional()
            .tool("project"),
    ])
}

/// The path of an operation on an include.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncludePath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The object that includes a package.
    include_id: ObjectId,
}
