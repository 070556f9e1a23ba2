//! The hosts of connections, as they were last heard of.

use std::collections::HashMap;

use domain::id::ProcessId;
use domain::session::ConnectionId;
use parking_lot::Mutex;

/// Most connections that are remembered. All are forgotten when there are more: each costs one request to learn anew.
const REMEMBERED: usize = 10_000;

/// What was heard of the hosts of connections. A guess: any of them may have another one by now, or none.
#[derive(Default)]
pub(crate) struct Hosts(Mutex<HashMap<ConnectionId, ProcessId>>);

impl Hosts {
    pub(crate) fn get(&self, connection: &ConnectionId) -> Option<ProcessId> {
        self.0.lock().get(connection).copied()
    }

    pub(crate) fn remember(&self, connection: &ConnectionId, host: ProcessId) {
        let mut hosts = self.0.lock();
        if hosts.len() >= REMEMBERED {
            hosts.clear();
        }
        hosts.insert(connection.clone(), host);
    }

    pub(crate) fn forget(&self, connection: &ConnectionId) {
        self.0.lock().remove(connection);
    }

    /// Forgets all connections of a host.
    pub(crate) fn forget_host(&self, host: ProcessId) {
        self.0.lock().retain(|_, of| *of != host);
    }
}
