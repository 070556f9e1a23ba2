//! Add an MCP server to a project, or describe it anew.

use auth::actor::ProjectManage;
use domain::error::Location;
use domain::mcp_server::{OWN_TOOLBOXES, SecretHeaders, ServerUrl};
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::mcp_servers::{self, NewMcpServer};
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::mcp_servers::{ServerAnswer, ServerPath};

/// Where the server is, and what it is sent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PutMcpServerRequest")]
pub struct Body {
    /// Its URL, for MCP's Streamable HTTP. It must be https and lead to the public internet, unless the deployment allows
    /// its host.
    url: ServerUrl,
    /// Headers that are sent with each request, such as `Authorization`; none unless said. They replace those before: what
    /// was entrusted to one address is never sent to another.
    #[serde(default)]
    headers: SecretHeaders,
}

/// Adds a server, or describes the one of this name anew and whole. Its tools join the project's sessions as a toolbox of
/// its name, for those who may write to the project.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, ServerPath, NoQuery, Json<Body>>,
) -> Result<Reply<ServerAnswer>> {
    let (call, path) = (&request.call, &request.path);
    let Body { url, headers } = request.body.0;
    if OWN_TOOLBOXES.contains(&path.server_name.as_str()) {
        let message = "is the name of a toolbox of the service's own";
        return Err(Error::invalid("serverName", "reserved", message).at(Location::Path));
    }
    let check = app.tools.foreign().check(url.get());
    check.map_err(|refused| Error::invalid("url", "address", refused.to_string()))?;
    let new = NewMcpServer { name: path.server_name.clone(), url, headers };
    let mcp_server = app
        .store
        .mutate(call, &path.project_id, async |tx, project| mcp_servers::put(tx, project, call, &new).await)
        .await?;
    Ok(Reply::ok(ServerAnswer { mcp_server }))
}
