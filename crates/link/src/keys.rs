//! The names of everything that the service keeps in Redis.

use domain::id::{ProcessId, SessionId};
use domain::rate::Subject;
use domain::session::ConnectionId;

/// Builds keys under the deployment's own prefix.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    prefix: String,
}

impl Keys {
    pub(crate) fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned() }
    }

    /// A hash: what is known of a session. Outlives its host by hours.
    pub(crate) fn session(&self, session: SessionId) -> String {
        format!("{}:session:{session}", self.prefix)
    }

    /// A string: the process that serves this connection. A lease: it lapses seconds after its host.
    pub(crate) fn connection(&self, connection: &ConnectionId) -> String {
        format!("{}:connection:{connection}", self.prefix)
    }

    /// A stream: messages to one process.
    pub(crate) fn inbox(&self, process: ProcessId) -> String {
        format!("{}{process}", self.inboxes())
    }

    /// What the names of all inboxes begin with.
    pub(crate) fn inboxes(&self) -> String {
        format!("{}:inbox:", self.prefix)
    }

    /// A channel: the sessions that have new events.
    pub(crate) fn events(&self) -> String {
        format!("{}:events", self.prefix)
    }

    /// A string: when the bucket of all callers is full again, in microseconds since 1970.
    pub(crate) fn rate_of_all(&self) -> String {
        format!("{}:rate", self.prefix)
    }

    /// A string: the same of one caller.
    pub(crate) fn rate(&self, subject: &Subject) -> String {
        match subject {
            Subject::Credential(hash) => format!("{}:rate:key:{hash}", self.prefix),
            Subject::Address(address) => format!("{}:rate:address:{address}", self.prefix),
        }
    }

    /// A string that is there unless Redis was wiped since the last heartbeat of any process.
    pub(crate) fn known(&self) -> String {
        format!("{}:known", self.prefix)
    }

    /// A string that is there while hosts register again after a wipe.
    pub(crate) fn settling(&self) -> String {
        format!("{}:settling", self.prefix)
    }
}
