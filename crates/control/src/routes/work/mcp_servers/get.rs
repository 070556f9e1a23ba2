//! Read an MCP server of a project.

use api::work::mcp_servers::{GetMcpServer, McpServerResponse};
use auth::actor::ProjectManage;
use domain::Result;
use store::work::mcp_servers;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Reads a server's URL and the names of its headers. Their values are not shown.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, GetMcpServer>,
) -> Result<TaggedReply<McpServerResponse>> {
    let path = &request.path;
    let mcp_server = app
        .store
        .read(&request.call, &path.project_id, async |tx, project| {
            mcp_servers::get(tx, project, &path.server_name).await
        })
        .await?;
    Ok(Reply::ok(McpServerResponse { mcp_server }).etag_of_body())
}
