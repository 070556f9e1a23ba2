//! MCP servers of projects. Managers configure them; sessions use their tools.

mod headers;

use auth::actor::{ProjectManage, ProjectWrite, Requirement};
use auth::sealing::SealingKey;
use database::decode;
use database::prelude::*;
use database::schema::mcp_servers;
use domain::id::ProjectId;
use domain::time::Timestamp;
use domain::work::mcp_server::{McpServerRecord, SERVERS_MAX, SecretHeaders, ServerName, ServerUrl};
use domain::{Code, Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::session::Session;
use crate::resources::audit;
use crate::resources::store::{Store, Tx};

/// Proof that the caller may read a session, and so its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionTools(ProjectId);

/// A server with its secret headers, for requests to it.
#[derive(Clone, Debug)]
pub struct McpServer {
    /// The public part.
    pub record: McpServerRecord,
    /// The headers of each request; `None` if they were sealed with a key that the deployment does not have.
    pub headers: Option<SecretHeaders>,
    /// Changes with every change of the configuration.
    pub revision: Uuid,
}

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct NewMcpServer {
    /// Unique in the project.
    pub name: ServerName,
    /// The address of its endpoint.
    pub url: ServerUrl,
    /// The headers of each request.
    pub headers: SecretHeaders,
}

impl SessionTools {
    /// The proof for a session.
    pub fn of<P: Requirement>(session: &Session<P>) -> Self {
        Self(session.record.project)
    }
}

/// The project's servers after `after`, by name.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    after: Option<&ServerName>,
    rows: u32,
) -> Result<Vec<McpServerRecord>> {
    let mut query = mcp_servers::table
        .filter(mcp_servers::project_id.eq(project.record.id.0))
        .order(mcp_servers::name)
        .limit(i64::from(rows))
        .select(ServerRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(mcp_servers::name.gt(after.as_str()));
    }
    let rows: Vec<ServerRow> = query.load(tx).await?;
    rows.into_iter().map(|row| row.record()).collect()
}

/// Those of `names` that the project's servers have.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn names_among(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    names: &[&str],
) -> Result<Vec<String>> {
    let named = mcp_servers::table
        .filter(mcp_servers::project_id.eq(project.record.id.0))
        .filter(mcp_servers::name.eq_any(names))
        .select(mcp_servers::name);
    Ok(named.load(tx).await?)
}

/// A server of the project.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn get(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    name: &ServerName,
) -> Result<McpServerRecord> {
    let row: Option<ServerRow> = mcp_servers::table
        .find((project.record.id.0, name.as_str()))
        .select(ServerRow::as_select())
        .first(tx)
        .await
        .optional()?;
    row.ok_or_else(Error::not_found)?.record()
}

/// A server of the project, which stays as it is until the transaction ends, also if it is absent.
///
/// # Errors
/// `NOT_FOUND` if the project was deleted meanwhile.
pub async fn hold(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    name: &ServerName,
) -> Result<Option<McpServerRecord>> {
    project.hold_branches(tx).await?;
    let row: Option<ServerRow> = mcp_servers::table
        .find((project.record.id.0, name.as_str()))
        .select(ServerRow::as_select())
        .for_update()
        .first(tx)
        .await
        .optional()?;
    row.map(|row| row.record()).transpose()
}

/// Adds a server, or replaces the configuration of the one with the same name.
///
/// # Errors
/// `MCP_SERVER_LIMIT_REACHED`; `INVALID_REQUEST` if there are headers, and the deployment has no key to seal them with.
pub async fn put(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    call: &Call<ProjectManage>,
    new: &NewMcpServer,
) -> Result<McpServerRecord> {
    // Serialises additions, so that the limit holds.
    project.hold_branches(tx).await?;
    let others: i64 = mcp_servers::table
        .filter(mcp_servers::project_id.eq(project.record.id.0).and(mcp_servers::name.ne(new.name.as_str())))
        .count()
        .get_result(tx)
        .await?;
    if others >= i64::from(SERVERS_MAX) {
        let message = format!("A project has at most {SERVERS_MAX} MCP servers.");
        return Err(Error::new(Code::McpServerLimitReached, message));
    }
    let configured = (
        mcp_servers::url.eq(new.url.get().as_str()),
        mcp_servers::sealed_headers.eq(headers::seal(tx.sealing.as_deref(), project.record.id, new)?),
        mcp_servers::header_names.eq(new.headers.names()),
        mcp_servers::revision.eq(Uuid::new_v4()),
        mcp_servers::updated_at.eq(call.now.0),
    );
    let row: ServerRow = diesel::insert_into(mcp_servers::table)
        .values((
            mcp_servers::project_id.eq(project.record.id.0),
            mcp_servers::name.eq(new.name.as_str()),
            mcp_servers::created_at.eq(call.now.0),
            configured.clone(),
        ))
        .on_conflict((mcp_servers::project_id, mcp_servers::name))
        .do_update()
        .set(configured)
        .returning(ServerRow::as_returning())
        .get_result(tx)
        .await?;
    audit::record(tx, call, project.record.id.0).await?;
    row.record()
}

/// Removes a server.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn delete(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    call: &Call<ProjectManage>,
    name: &ServerName,
) -> Result<()> {
    let deleted =
        diesel::delete(mcp_servers::table.find((project.record.id.0, name.as_str()))).execute(tx).await?;
    if deleted == 0 {
        return Err(Error::not_found());
    }
    audit::record(tx, call, project.record.id.0).await
}

impl Store {
    /// The servers whose tools a session can use, by name.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn mcp_servers(&self, of: SessionTools) -> Result<Vec<McpServer>> {
        let rows: Vec<ServerRow> = mcp_servers::table
            .filter(mcp_servers::project_id.eq(of.0.0))
            .order(mcp_servers::name)
            .select(ServerRow::as_select())
            .load(&self.connection().await?)
            .await?;
        rows.into_iter().map(|row| row.server(self.sealing.as_deref(), of.0)).collect()
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = mcp_servers)]
struct ServerRow {
    name: String,
    url: String,
    sealed_headers: Option<Vec<u8>>,
    header_names: Vec<String>,
    revision: Uuid,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl ServerRow {
    fn record(&self) -> Result<McpServerRecord> {
        Ok(McpServerRecord {
            name: decode::parse(&self.name)?,
            url: decode::parse(&self.url)?,
            header_names: self.header_names.clone(),
            created_at: Timestamp::from(self.created_at),
            updated_at: Timestamp::from(self.updated_at),
        })
    }

    fn server(self, key: Option<&SealingKey>, project: ProjectId) -> Result<McpServer> {
        let record = self.record()?;
        let headers = match &self.sealed_headers {
            None => Some(SecretHeaders::default()),
            Some(sealed) => {
                key.and_then(|key| headers::open(key, project, &record.name, &record.url, sealed))
            }
        };
        Ok(McpServer { record, headers, revision: self.revision })
    }
}
