//! Remove an MCP server from a project.

use api::work::mcp_servers::{DeleteMcpServer, DeleteMcpServerResponse, McpServerResponse};
use auth::actor::ProjectManage;
use domain::{Error, Result};
use store::work::mcp_servers;
use wire::{Reply, Request};

use crate::app::App;

/// Removes a server with its headers. Its toolbox disappears from all sessions of the project.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, DeleteMcpServer>,
) -> Result<Reply<DeleteMcpServerResponse>> {
    let (call, path) = (&request.call, &request.path);
    let expected = request.head.if_match()?;
    app.store
        .mutate(call, &path.project_id, async |tx, project| {
            if expected.is_some() {
                let current = mcp_servers::hold(tx, project, &path.server_name).await?;
                let mcp_server = current.ok_or_else(Error::not_found)?;
                wire::check_if_match(expected.as_ref(), &McpServerResponse { mcp_server })?;
            }
            mcp_servers::delete(tx, project, call, &path.server_name).await
        })
        .await?;
    Ok(Reply::ok(DeleteMcpServerResponse { deleted: true, name: request.path.server_name }))
}
