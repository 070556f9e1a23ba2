//! Add an MCP server to a project, or replace its description.

use api::work::mcp_servers::{McpServerResponse, PutMcpServer, PutMcpServerRequest};
use auth::actor::ProjectManage;
use domain::error::Location;
use domain::work::mcp_server::OWN_TOOLBOXES;
use domain::{Error, Result, Rule};
use store::work::mcp_servers::{self, NewMcpServer};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Adds a server, or replaces the one of this name completely. Its tools form a toolbox of its name in the project's
/// sessions, for users who can write to the project.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, PutMcpServer>,
) -> Result<TaggedReply<McpServerResponse>> {
    let (call, path) = (&request.call, &request.path);
    let expected = request.head.if_match()?;
    let PutMcpServerRequest { url, headers } = request.body.0;
    if OWN_TOOLBOXES.contains(&path.server_name.as_str()) {
        let message = "is the name of a toolbox of the service's own";
        return Err(Error::invalid("serverName", Rule::Reserved, message).at(Location::Path));
    }
    let check = app.tools.foreign().check(url.get());
    check.map_err(|refused| Error::invalid("url", Rule::Reserved, refused.to_string()))?;
    let new = NewMcpServer { name: path.server_name.clone(), url, headers };
    let mcp_server = app
        .store
        .mutate(call, &path.project_id, async |tx, project| {
            if expected.is_some() {
                let current = mcp_servers::hold(tx, project, &path.server_name).await?;
                let current = current.map(|mcp_server| McpServerResponse { mcp_server });
                wire::check_if_match_any(expected.as_ref(), current.as_ref())?;
            }
            mcp_servers::put(tx, project, call, &new).await
        })
        .await?;
    Ok(Reply::ok(McpServerResponse { mcp_server }).etag_of_body())
}
