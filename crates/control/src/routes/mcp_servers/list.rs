//! List a project's MCP servers.

use auth::actor::ProjectManage;
use domain::Result;
use domain::mcp_server::{McpServerRecord, ServerName};
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::mcp_servers;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{PageQuery, PageRequest};
use crate::routes::projects::ProjectPath;

/// A page of servers, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ListMcpServersResponse")]
pub struct Answer {
    mcp_servers: Vec<McpServerRecord>,
    meta: PageMeta,
}

/// Lists the project's MCP servers, by name, without the values of their headers.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, ProjectPath, PageQuery>,
) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let page: PageRequest<_, ServerName> = request.query.open(&app.cursors, ("mcp-servers", at.project))?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            mcp_servers::list(tx, project, page.from.as_ref(), page.rows()).await
        })
        .await?;
    let (mcp_servers, meta) = page.cut(found, |server| server.name.clone())?;
    Ok(Reply::ok(Answer { mcp_servers, meta }))
}
