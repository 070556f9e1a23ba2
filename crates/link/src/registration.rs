//! Registrations of sessions, as hosts write them to Redis and keep them in memory.

use domain::content::project::BranchName;
use domain::id::{ProjectId, SessionId};
use domain::time::Timestamp;
use domain::work::session::ConnectionId;
use serde::{Deserialize, Serialize};

/// A session as its host registers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The session.
    pub session: SessionId,
    /// The open project.
    pub project: ProjectId,
    /// The current branch.
    pub branch: BranchName,
    /// Time of its start.
    pub opened_at: Timestamp,
}

impl Registration {
    /// The session's data-plane connection.
    pub fn connection(&self) -> ConnectionId {
        ConnectionId::of_session(self.session)
    }
}

/// A session in its host's memory.
#[derive(Clone, Debug)]
pub(crate) struct HostedSession {
    pub(crate) registration: Registration,
    pub(crate) epoch: u64,
}
