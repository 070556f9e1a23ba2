//! The session in which tools are used: what it fills in, and what the caller may do in it.

use auth::actor::{Actor, Needs};
use auth::permission::Permissions;
use domain::session::SessionRecord;
use domain::{Error, Result};
use store::mcp_servers::Equipped;
use store::{Call, SessionRef, Store};

/// An open session, and who acts in it.
#[derive(Clone, Debug)]
pub struct ToolSession {
    /// The session.
    pub record: SessionRecord,
    /// Who acts: never more than the caller, nor than the credential that opened the session.
    pub actor: Actor,
    /// What the actor may do on the project, by its role and by these credentials.
    pub permissions: Permissions,
    /// Leads to the servers that the project's managers have named.
    pub(super) equipped: Equipped,
}

impl ToolSession {
    /// Finds the session for the caller.
    ///
    /// # Errors
    /// `NOT_FOUND`, also where it is closed; `FORBIDDEN`; `UNAVAILABLE`.
    pub async fn open<P: Needs>(store: &Store, call: &Call<P>, at: &SessionRef) -> Result<Self> {
        store
            .look_at(call, at, async |_, session| {
                if session.record.closed_at.is_some() {
                    return Err(Error::not_found());
                }
                let actor = session.acting(call);
                let permissions = session.project.permissions.intersection(actor.ceiling);
                let equipped = Equipped::of(session);
                Ok(Self { record: session.record.clone(), actor, permissions, equipped })
            })
            .await
    }
}
