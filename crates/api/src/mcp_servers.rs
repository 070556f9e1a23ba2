//! MCP servers of projects.

use domain::mcp_server::{McpServerRecord, SecretHeaders, ServerName, ServerUrl};
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

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
    /// Headers of each request, as `Authorization`. Defaults to none. They replace the previous ones, so a secret for
    /// one address is never sent to another.
    #[serde(default, serialize_with = "reveal")]
    pub headers: SecretHeaders,
}

/// Writes the values for the request that sets them.
fn reveal<S: Serializer>(headers: &SecretHeaders, serializer: S) -> Result<S::Ok, S::Error> {
    headers.reveal().serialize(serializer)
}
