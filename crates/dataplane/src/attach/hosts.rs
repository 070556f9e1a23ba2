//! Memory of the processes that hosted connections.

use std::collections::HashMap;

use domain::id::ProcessId;
use domain::session::ConnectionId;
use parking_lot::Mutex;

/// Most connections in memory. One more clears it, and each upload then asks Redis once for its host.
const MAX_CONNECTIONS: usize = 10_000;

/// The process that answered last for each connection. A guess: the connection may have another host now, or none.
#[derive(Default)]
pub(super) struct KnownHosts(Mutex<HashMap<ConnectionId, ProcessId>>);

impl KnownHosts {
    pub(super) fn get(&self, connection: &ConnectionId) -> Option<ProcessId> {
        self.0.lock().get(connection).copied()
    }

    pub(super) fn remember(&self, connection: &ConnectionId, host: ProcessId) {
        let mut hosts = self.0.lock();
        if hosts.len() >= MAX_CONNECTIONS {
            hosts.clear();
        }
        hosts.insert(connection.clone(), host);
    }

    pub(super) fn forget(&self, connection: &ConnectionId) {
        self.0.lock().remove(connection);
    }

    /// Forgets all connections of a host.
    pub(super) fn forget_host(&self, host: ProcessId) {
        self.0.lock().retain(|_, of| *of != host);
    }
}

#[cfg(test)]
mod tests {
    use domain::id::SessionId;
    use domain::time::Clock;

    use super::*;

    #[test]
    fn a_host_that_is_forgotten_takes_all_of_its_connections_along() {
        let known = KnownHosts::default();
        let connections = [(); 3].map(|()| ConnectionId::of_session(SessionId::new(Clock::system().now())));
        let [lost, other] = [(); 2].map(|()| ProcessId::new(Clock::system().now()));
        for (connection, host) in connections.iter().zip([lost, lost, other]) {
            known.remember(connection, host);
        }
        known.forget_host(lost);
        assert_eq!(connections.each_ref().map(|connection| known.get(connection)), [None, None, Some(other)]);
        known.forget(&connections[2]);
        assert_eq!(known.get(&connections[2]), None);
    }
}
