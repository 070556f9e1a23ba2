//! MCP servers of projects.

use domain::content::project::ProjectRef;
use domain::page::PageMeta;
use domain::work::mcp_server::{McpServerRecord, SecretHeaders, ServerName, ServerUrl};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::page::PageQuery;
use crate::{operations, tags};

operations! {
    tag: tags::MCP_SERVERS;

    /// Lists the servers of a project, without the values of their headers.
    ListMcpServers = Get "/api/v2/projects/{projectId}/mcp-servers" {
        summary: "List a project's MCP servers",
        path: ProjectPath,
        query: PageQuery,
        answer: ListMcpServersResponse,
        effect: Reads,
        tool: NotATool("a person decides who receives the arguments of tools"),
    }

    /// Answers one server, without the values of its headers.
    GetMcpServer = Get "/api/v2/projects/{projectId}/mcp-servers/{serverName}" {
        summary: "Read an MCP server of a project",
        path: ServerPath,
        answer: McpServerResponse,
        effect: Reads,
        tool: NotATool("a person decides who receives the arguments of tools"),
    }

    /// Adds or replaces a server. Its headers are stored encrypted and never shown again. A project has a limited
    /// number of servers: `MCP_SERVER_LIMIT_REACHED`.
    PutMcpServer = Put "/api/v2/projects/{projectId}/mcp-servers/{serverName}" {
        summary: "Add or replace an MCP server",
        path: ServerPath,
        body: Json<PutMcpServerRequest>,
        answer: McpServerResponse,
        effect: Idempotent,
        tool: NotATool("a person decides who receives the arguments of tools"),
        also: conditional(),
    }

    /// Removes a server. Its tools end in all sessions of the project.
    DeleteMcpServer = Delete "/api/v2/projects/{projectId}/mcp-servers/{serverName}" {
        summary: "Remove an MCP server",
        path: ServerPath,
        answer: DeleteMcpServerResponse,
        effect: Idempotent,
        tool: NotATool("a person decides who receives the arguments of tools"),
        also: conditional(),
    }
}

/// An MCP server.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpServerResponse {
    /// The server.
    pub mcp_server: McpServerRecord,
}

/// The removed server.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteMcpServerResponse {
    /// Always true.
    pub deleted: bool,
    /// The name.
    pub name: ServerName,
}

/// A page of servers, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListMcpServersResponse {
    /// The MCP servers.
    pub mcp_servers: Vec<McpServerRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// The server's address and headers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutMcpServerRequest {
    /// URL for MCP's Streamable HTTP. It must be https and lead to the public internet, except for hosts that the
    /// deployment allows.
    pub url: ServerUrl,
    /// Headers of each request, as `Authorization`. They replace the previous ones: a secret for one address is never
    /// sent to another.
    #[serde(default, serialize_with = "reveal")]
    pub headers: SecretHeaders,
}

/// Writes the values for the request that sets them.
fn reveal<S: Serializer>(headers: &SecretHeaders, serializer: S) -> Result<S::Ok, S::Error> {
    headers.reveal().serialize(serializer)
}

/// The path of an operation on one server.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The server.
    pub server_name: ServerName,
}
