//! Remove an MCP server from a project.

use auth::actor::ProjectManage;
use domain::Result;
use domain::mcp_server::ServerName;
use schemars::JsonSchema;
use serde::Serialize;
use store::mcp_servers;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::mcp_servers::ServerPath;

/// The removed server.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteMcpServerResponse")]
pub struct Answer {
    deleted: bool,
    name: ServerName,
}

/// Removes a server with its headers. Its toolbox disappears from all sessions of the project.
pub async fn handle(app: App, request: Request<ProjectManage, ServerPath>) -> Result<Reply<Answer>> {
    let (call, path) = (&request.call, &request.path);
    app.store
        .mutate(call, &path.project_id, async |tx, project| {
            mcp_servers::delete(tx, project, call, &path.server_name).await
        })
        .await?;
    Ok(Reply::ok(Answer { deleted: true, name: request.path.server_name }))
}
