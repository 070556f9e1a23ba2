//! Headers of MCP servers as the database holds them: sealed for their server at its address. A writer to the database
//! who lacks the key can't have them sent elsewhere.

use auth::sealing::SealingKey;
use domain::id::ProjectId;
use domain::mcp_server::{SecretHeaders, ServerName, ServerUrl};
use domain::{Error, Result};

use crate::resources::mcp_servers::NewMcpServer;

/// The headers of a server that is described, sealed; `None` where it has none.
pub(super) fn sealed(
    key: Option<&SealingKey>,
    project: ProjectId,
    new: &NewMcpServer,
) -> Result<Option<Vec<u8>>> {
    if new.headers == SecretHeaders::default() {
        return Ok(None);
    }
    let none = "can't be kept: this deployment has no key to seal them with (ATELIER_SECRETS_KEY_FILE)";
    let key = key.ok_or_else(|| Error::invalid("headers", "sealing", none))?;
    let headers = serde_json::to_vec(new.headers.reveal()).map_err(Error::internal)?;
    key.seal(&headers, &whose(project, &new.name, &new.url)).map(Some)
}

/// What was sealed for this server at this address; `None` where that can't be opened with the key.
pub(super) fn opened(
    key: &SealingKey,
    project: ProjectId,
    name: &ServerName,
    url: &ServerUrl,
    sealed: &[u8],
) -> Option<SecretHeaders> {
    serde_json::from_slice(&key.open(sealed, &whose(project, name, url))?).ok()
}

/// What headers are bound to. None of the three holds a line's end.
fn whose(project: ProjectId, name: &ServerName, url: &ServerUrl) -> String {
    format!("mcp_servers.headers\n{project}\n{}\n{}", name.as_str(), url.get())
}
