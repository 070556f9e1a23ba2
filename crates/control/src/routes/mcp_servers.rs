//! The MCP servers whose tools a project's sessions can use, for those who manage the project.

pub mod delete;
pub mod get;
pub mod list;
pub mod put;

use domain::mcp_server::{McpServerRecord, ServerName};
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The path of an operation on one server.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The server.
    server_name: ServerName,
}

/// One server.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "McpServerResponse")]
pub struct ServerAnswer {
    /// The server.
    mcp_server: McpServerRecord,
}
