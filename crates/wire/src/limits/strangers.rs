//! Credentials that are none: whoever makes up a new one for each request would have a limit of its own each time. So what
//! comes with a credential that turns out to be none is counted against its address afterwards; and once that is used up,
//! only credentials that this process has seen to be good are let in from there.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Most credentials that are remembered as good, and most addresses that are kept out; beyond, all are forgotten.
const REMEMBERED_MAX: usize = 100_000;

/// What this process has learnt of credentials and addresses.
#[derive(Debug, Default)]
pub(crate) struct Strangers(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The hashes of credentials that were good.
    good: HashSet<String>,
    /// Until when an address is kept out.
    out_until: HashMap<String, Instant>,
}

impl Strangers {
    /// How long a request with this credential has to wait for its address; `None` where it may go on.
    pub(crate) fn wait(&self, credential: &str, address: &str, now: Instant) -> Option<Duration> {
        let known = self.0.lock();
        let until = known.out_until.get(address).filter(|_| !known.good.contains(credential))?;
        until.checked_duration_since(now).filter(|wait| !wait.is_zero())
    }

    /// This credential was good.
    pub(crate) fn welcome(&self, credential: &str) {
        let mut known = self.0.lock();
        if known.good.contains(credential) {
            return;
        }
        if known.good.len() >= REMEMBERED_MAX {
            known.good.clear();
        }
        known.good.insert(credential.to_owned());
    }

    /// This address has used up its requests with what is no credential.
    pub(crate) fn keep_out(&self, address: String, until: Instant) {
        let mut known = self.0.lock();
        if known.out_until.len() >= REMEMBERED_MAX {
            known.out_until.clear();
        }
        known.out_until.insert(address, until);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Strangers;

    #[test]
    fn from_an_address_that_is_kept_out_only_good_credentials_come_in() {
        let (strangers, now) = (Strangers::default(), Instant::now());
        assert_eq!(strangers.wait("new", "10.0.0.1", now), None);
        strangers.welcome("good");
        strangers.keep_out("10.0.0.1".to_owned(), now + Duration::from_secs(2));
        assert_eq!(strangers.wait("new", "10.0.0.1", now), Some(Duration::from_secs(2)));
        assert_eq!(strangers.wait("good", "10.0.0.1", now), None);
        assert_eq!(strangers.wait("new", "10.0.0.2", now), None);
        assert_eq!(strangers.wait("new", "10.0.0.1", now + Duration::from_secs(2)), None);
    }
}
