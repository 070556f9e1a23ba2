//! List a project's MCP servers.

use api::work::mcp_servers::{ListMcpServers, ListMcpServersResponse};
use auth::actor::ProjectManage;
use domain::Result;
use domain::work::mcp_server::ServerName;
use store::work::mcp_servers;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;

/// Lists the project's MCP servers, by name, without the values of their headers.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, ListMcpServers>,
) -> Result<Reply<ListMcpServersResponse>> {
    let at = &request.path.project_id;
    let page: PageRequest<_, ServerName> =
        PageRequest::of(request.query, &app.cursors, ("mcp-servers", at.project))?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            mcp_servers::list(tx, project, page.from.as_ref(), page.rows()).await
        })
        .await?;
    let (mcp_servers, meta) = page.cut(found, |server| server.name.clone())?;
    Ok(Reply::ok(ListMcpServersResponse { mcp_servers, meta }))
}
