//! The session of a tool call: the parameters that it fills in, and the rights that the caller has in it.

use auth::actor::{Actor, Requirement};
use domain::people::permission::Permissions;
use domain::work::session::SessionRecord;
use domain::{Error, Result};
use store::work::mcp_servers::SessionTools;
use store::{Call, SessionRef, Store};

/// An open session, with the actor of its tools.
#[derive(Clone, Debug)]
pub struct ToolSession {
    /// The session.
    pub record: SessionRecord,
    /// The actor: the caller, limited to the credential that opened the session.
    pub actor: Actor,
    /// The actor's permissions on the project.
    pub permissions: Permissions,
    /// Access to the project's MCP servers.
    pub(super) equipped: SessionTools,
}

impl ToolSession {
    /// Resolves a session for a caller.
    ///
    /// # Errors
    /// `NOT_FOUND`, also if it is closed; `FORBIDDEN`; `UNAVAILABLE`.
    pub async fn open<P: Requirement>(store: &Store, call: &Call<P>, at: &SessionRef) -> Result<Self> {
        let session = store.find(call, at).await?;
        if session.record.closed_at.is_some() {
            return Err(Error::not_found());
        }
        let actor = session.acting(call);
        let permissions = session.project.permissions.intersection(actor.ceiling);
        let equipped = SessionTools::of(&session);
        Ok(Self { record: session.record, actor, permissions, equipped })
    }
}
