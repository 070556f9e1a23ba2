//! Names of the keys and channels in Redis.

use domain::id::{ProcessId, SessionId};
use domain::work::session::ConnectionId;

/// Builds keys with the deployment's prefix.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    prefix: String,
}

impl Keys {
    pub(crate) fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned() }
    }

    /// A hash: the record of a session. Outlives its host by hours.
    pub(crate) fn session(&self, session: SessionId) -> String {
        format!("{}:session:{session}", self.prefix)
    }

    /// A string: the process that serves this connection. A lease, which expires seconds after its host.
    pub(crate) fn connection(&self, connection: &ConnectionId) -> String {
        format!("{}:connection:{connection}", self.prefix)
    }

    /// A stream of messages to one process.
    pub(crate) fn inbox(&self, process: ProcessId) -> String {
        format!("{}:inbox:{process}", self.prefix)
    }

    /// A channel of sessions that have new events.
    pub(crate) fn events(&self) -> String {
        format!("{}:events", self.prefix)
    }

    /// A string: the time at which a bucket of a rate limit is full again, in microseconds since 1970.
    pub(crate) fn rate(&self, bucket: &str) -> String {
        format!("{}:rate:{bucket}", self.prefix)
    }

    /// A string: the one sender that used this secret, until the secret expires.
    pub(crate) fn claim(&self, id: &str) -> String {
        format!("{}:claim:{id}", self.prefix)
    }

    /// A key that a process writes to find out whether it can.
    pub(crate) fn check(&self, process: ProcessId) -> String {
        format!("{}:check:{process}", self.prefix)
    }

    /// A string that exists unless Redis was wiped since the last heartbeat of any process.
    pub(crate) fn known(&self) -> String {
        format!("{}:known", self.prefix)
    }

    /// A string that exists while hosts register again after a wipe.
    pub(crate) fn settling(&self) -> String {
        format!("{}:settling", self.prefix)
    }
}
