//! The MCP servers whose tools a project's sessions can use. The project's managers maintain them.

pub mod delete;
pub mod get;
pub mod list;
pub mod put;

use domain::mcp_server::ServerName;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use wire::{Endpoint, Resource, delete, get, put};

use crate::app::App;

/// The endpoints of MCP servers.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/mcp-servers").with([
        get("", "listMcpServers", "List a project's MCP servers", list::handle)
            .not_a_tool("a person decides who receives the arguments of tools"),
        get("/{serverName}", "getMcpServer", "Read an MCP server of a project", get::handle)
            .not_a_tool("a person decides who receives the arguments of tools"),
        put("/{serverName}", "putMcpServer", "Add or replace an MCP server", put::handle)
            .conditional()
            .not_a_tool("a person decides who receives the arguments of tools"),
        delete("/{serverName}", "deleteMcpServer", "Remove an MCP server", delete::handle)
            .conditional()
            .not_a_tool("a person decides who receives the arguments of tools"),
    ])
}

/// The path of an operation on one server.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The server.
    server_name: ServerName,
}
