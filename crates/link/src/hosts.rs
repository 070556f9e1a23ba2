//! The hosts of connections, as they were last heard of.

use std::collections::HashMap;
use std::sync::Mutex;

use domain::id::ProcessId;
use domain::session::ConnectionId;

use crate::link::lock;

/// Most connections that are remembered. All are forgotten when there are more: each costs one request to learn anew.
const REMEMBERED: usize = 10_000;

/// What was heard of the hosts of connections. A guess: any of them may have another one by now, or none.
#[derive(Default)]
pub(crate) struct Hosts(Mutex<HashMap<ConnectionId, ProcessId>>);

impl Hosts {
    pub(crate) fn get(&self, connection: &ConnectionId) -> Option<ProcessId> {
        lock(&self.0).get(connection).copied()
    }

    pub(crate) fn remember(&self, connection: &ConnectionId, host: ProcessId) {
        let mut hosts = lock(&self.0);
        if hosts.len() >= REMEMBERED {
            hosts.clear();
        }
        hosts.insert(connection.clone(), host);
    }

    pub(crate) fn forget(&self, connection: &ConnectionId) {
        lock(&self.0).remove(connection);
    }

    /// Forgets all connections of a host.
    pub(crate) fn forget_host(&self, host: ProcessId) {
        lock(&self.0).retain(|_, of| *of != host);
    }
}
