//! Headers of MCP servers as they are kept: sealed for their server at its address. Whoever may write to the database but
//! has no key can't have them sent elsewhere.

use auth::sealing::SealingKey;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::ProjectId;
use domain::mcp_server::{SecretHeaders, ServerName, ServerUrl};
use domain::{Error, Result};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::db::config::Store;
use crate::db::decode;
use crate::db::error::failure;
use crate::db::schema::mcp_servers;
use crate::resources::mcp_servers::NewMcpServer;

/// Servers whose headers are sealed in one go.
const PAGE_ROWS: i64 = 100;

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
    let key = key.ok_or_else(|| Error::invalid("body.headers", "sealing", none))?;
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

impl Store {
    /// Seals headers that a program from before headers were sealed has stored, as far as there is a key; returns of how
    /// many servers. Each replica does it; a second one finds nothing.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn seal_plain_headers(&self) -> Result<usize> {
        let Some(key) = self.sealing.as_deref() else { return Ok(0) };
        self.as_system(async |tx| {
            let rows: Vec<(Uuid, String, String, Value)> = mcp_servers::table
                .filter(mcp_servers::headers.ne(json!({})))
                .order((mcp_servers::project_id, mcp_servers::name))
                .limit(PAGE_ROWS)
                .select((mcp_servers::project_id, mcp_servers::name, mcp_servers::url, mcp_servers::headers))
                .for_update()
                .skip_locked()
                .load(tx.connection()?)
                .await
                .map_err(failure)?;
            for (project, name, url, plain) in &rows {
                let headers: SecretHeaders =
                    serde_json::from_value(plain.clone()).map_err(Error::internal)?;
                let (header_names, project) = (headers.names(), ProjectId(*project));
                let new = NewMcpServer { name: decode::parse(name)?, url: decode::parse(url)?, headers };
                let written = diesel::update(mcp_servers::table.find((project.0, name)))
                    .set((
                        mcp_servers::headers.eq(json!({})),
                        mcp_servers::sealed_headers.eq(sealed(Some(key), project, &new)?),
                        mcp_servers::header_names.eq(header_names),
                    ))
                    .execute(tx.connection()?)
                    .await
                    .map_err(failure)?;
                if written != 1 {
                    return Err(Error::internal("a server that was held has gone"));
                }
            }
            Ok(rows.len())
        })
        .await
    }
}
