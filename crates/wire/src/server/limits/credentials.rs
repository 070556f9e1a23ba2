//! Valid credentials and blocked addresses. A client that invents a credential for each request would get a new limit
//! each time. So a request with an invalid credential counts against its address afterwards. Once the address has
//! used up its limit, this process accepts only credentials from it that it has seen to be valid.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Maximum number of valid credentials, and of blocked addresses. A full set is cleared.
const ENTRIES_MAX: usize = 100_000;

/// The experience of this process with credentials and addresses.
#[derive(Debug, Default)]
pub(crate) struct CredentialHistory(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    /// The hashes of valid credentials.
    valid: HashSet<String>,
    /// The end of each address's block.
    blocked_until: HashMap<String, Instant>,
}

impl CredentialHistory {
    /// The remaining block of a request with this credential from this address, if any.
    pub(crate) fn wait(&self, credential: &str, address: &str, now: Instant) -> Option<Duration> {
        let entries = self.0.lock();
        let until = entries.blocked_until.get(address).filter(|_| !entries.valid.contains(credential))?;
        until.checked_duration_since(now).filter(|wait| !wait.is_zero())
    }

    /// Records a valid credential.
    pub(crate) fn accept(&self, credential: &str) {
        let mut entries = self.0.lock();
        if entries.valid.contains(credential) {
            return;
        }
        if entries.valid.len() >= ENTRIES_MAX {
            entries.valid.clear();
        }
        entries.valid.insert(credential.to_owned());
    }

    /// Blocks an address that has used up its limit.
    pub(crate) fn block(&self, address: String, until: Instant) {
        let mut entries = self.0.lock();
        if entries.blocked_until.len() >= ENTRIES_MAX {
            entries.blocked_until.clear();
        }
        entries.blocked_until.insert(address, until);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::CredentialHistory;

    #[test]
    fn a_blocked_address_can_use_only_valid_credentials() {
        let (history, now) = (CredentialHistory::default(), Instant::now());
        assert_eq!(history.wait("new", "10.0.0.1", now), None);
        history.accept("valid");
        history.block("10.0.0.1".to_owned(), now + Duration::from_secs(2));
        assert_eq!(history.wait("new", "10.0.0.1", now), Some(Duration::from_secs(2)));
        assert_eq!(history.wait("valid", "10.0.0.1", now), None);
        assert_eq!(history.wait("new", "10.0.0.2", now), None);
        assert_eq!(history.wait("new", "10.0.0.1", now + Duration::from_secs(2)), None);
    }
}
