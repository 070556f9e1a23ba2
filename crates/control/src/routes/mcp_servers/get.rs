//! Read an MCP server of a project.

use auth::actor::ProjectManage;
use domain::Result;
use store::mcp_servers;
use wire::{Reply, Request, Tagged};

use crate::app::App;
use crate::routes::mcp_servers::{ServerAnswer, ServerPath};

/// Reads where a server is and which headers it is sent. Their values are not shown.
pub async fn handle(app: App, request: Request<ProjectManage, ServerPath>) -> Result<Tagged<ServerAnswer>> {
    let path = &request.path;
    let mcp_server = app
        .store
        .read(&request.call, &path.project_id, async |tx, project| {
            mcp_servers::get(tx, project, &path.server_name).await
        })
        .await?;
    Ok(Reply::ok(ServerAnswer { mcp_server }).etag_of_body())
}
