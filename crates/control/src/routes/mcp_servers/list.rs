//! List a project's MCP servers.

use auth::actor::ProjectManage;
use domain::Result;
use domain::mcp_server::{McpServerRecord, ServerName};
use domain::page::{Limit, PageMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::mcp_servers;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page;
use crate::routes::projects::ProjectPath;

/// Which page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// 1 to 100, 50 unless said.
    limit: Option<String>,
    /// `meta.nextCursor` of the page before.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of servers, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ListMcpServersResponse")]
pub struct Answer {
    mcp_servers: Vec<McpServerRecord>,
    meta: PageMeta,
}

/// Lists the project's MCP servers, by name. The values of their headers are not shown.
pub async fn handle(app: App, request: Request<ProjectManage, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("mcp-servers", at.project);
    let cursor = request.query.cursor.as_deref();
    let after: Option<ServerName> = cursor.map(|cursor| app.cursors.open(&filter, cursor)).transpose()?;
    let rows = page::rows_to_ask(limit);
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            mcp_servers::list(tx, project, after.as_ref(), rows).await
        })
        .await?;
    let (mcp_servers, meta) = page::cut(&app.cursors, &filter, limit, found, |server| server.name.clone())?;
    Ok(Reply::ok(Answer { mcp_servers, meta }))
}
