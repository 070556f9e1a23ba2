//! Sealed headers of MCP servers. They are bound to their server and its address: a change of the database alone can't send
//! them elsewhere.

use auth::sealing::SealingKey;
use domain::id::ProjectId;
use domain::work::mcp_server::{SecretHeaders, ServerName, ServerUrl};
use domain::{Error, Result, Rule};

use crate::resources::work::mcp_servers::NewMcpServer;

/// Seals the headers of a configuration; `None` if it has no headers.
pub(super) fn seal(
    key: Option<&SealingKey>,
    project: ProjectId,
    new: &NewMcpServer,
) -> Result<Option<Vec<u8>>> {
    if new.headers == SecretHeaders::default() {
        return Ok(None);
    }
    let no_key = "can't be kept: this deployment has no key to seal them with (ATELIER_SECRETS_KEY_FILE)";
    let key = key.ok_or_else(|| Error::invalid("headers", Rule::Unsupported, no_key))?;
    let headers = serde_json::to_vec(new.headers.reveal()).map_err(Error::internal)?;
    key.seal(&headers, &associated_data(project, &new.name, &new.url)).map(Some)
}

/// Opens the headers of this server at this address; `None` if the key does not fit.
pub(super) fn open(
    key: &SealingKey,
    project: ProjectId,
    name: &ServerName,
    url: &ServerUrl,
    sealed: &[u8],
) -> Option<SecretHeaders> {
    serde_json::from_slice(&key.open(sealed, &associated_data(project, name, url))?).ok()
}

/// The data that headers are bound to. The three parts contain no line ends.
fn associated_data(project: ProjectId, name: &ServerName, url: &ServerUrl) -> String {
    format!("mcp_servers.headers\n{project}\n{}\n{}", name.as_str(), url.get())
}
