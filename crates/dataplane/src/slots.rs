//! Bounds the concurrent uploads of one session in this process.

use std::collections::HashMap;
use std::sync::Arc;

use domain::id::SessionId;
use domain::{Code, Error, Result};
use parking_lot::Mutex;
use serde_json::json;

/// The number of running uploads per session. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Slots {
    running: Arc<Mutex<HashMap<SessionId, u32>>>,
    limit: u32,
}

/// The permit of running uploads, released on drop.
#[derive(Debug)]
pub struct Slot {
    slots: Slots,
    session: SessionId,
    uploads: u32,
}

impl Slots {
    /// Allows at most `limit` concurrent uploads of each session.
    pub fn new(limit: u32) -> Self {
        Self { running: Arc::default(), limit }
    }

    /// Takes a slot for one upload of the session.
    ///
    /// # Errors
    /// `RATE_LIMITED` at the limit.
    pub fn take(&self, session: SessionId) -> Result<Slot> {
        self.take_by(session, |_| 1)
    }

    /// Takes half of the session's free slots, and at least one, for a request with several files. So each request leaves
    /// room for the next.
    ///
    /// # Errors
    /// `RATE_LIMITED` at the limit.
    pub fn take_half(&self, session: SessionId) -> Result<Slot> {
        self.take_by(session, |free| free.div_ceil(2))
    }

    fn take_by(&self, session: SessionId, share: impl FnOnce(u32) -> u32) -> Result<Slot> {
        let mut running = self.running.lock();
        let count = running.entry(session).or_default();
        if *count >= self.limit {
            let message = format!("The session already has {count} uploads in progress, which is the limit.");
            let mut error = Error::new(Code::RateLimited, message)
                .with_details(json!({ "scope": "session", "limit": self.limit }));
            error.retry_after_secs = Some(1);
            return Err(error);
        }
        let uploads = share(self.limit.saturating_sub(*count));
        *count += uploads;
        drop(running);
        Ok(Slot { slots: self.clone(), session, uploads })
    }
}

impl Slot {
    /// Number of uploads that may run at a time.
    pub fn uploads(&self) -> u32 {
        self.uploads
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut running = self.slots.running.lock();
        if let Some(count) = running.get_mut(&self.session) {
            *count = count.saturating_sub(self.uploads);
            if *count == 0 {
                running.remove(&self.session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Code;
    use domain::id::SessionId;
    use domain::time::Clock;

    use super::Slots;

    #[test]
    fn a_session_has_limited_slots_which_are_released_on_drop() {
        let slots = Slots::new(2);
        let now = Clock::system().now();
        let (one, other) = (SessionId::new(now), SessionId::new(now));
        let held = [slots.take(one).unwrap(), slots.take(one).unwrap()];
        let refused = slots.take(one).unwrap_err();
        assert_eq!((refused.code, refused.retry_after_secs), (Code::RateLimited, Some(1)));
        assert!(slots.take(other).is_ok());
        drop(held);
        assert!(slots.take(one).is_ok());
        let shares = [(); 3].map(|()| Slots::take_half(&slots, one).map(|slot| (slot.uploads(), slot)));
        let counts = shares.iter().map(|share| share.as_ref().map_or(0, |(uploads, _)| *uploads));
        assert_eq!(counts.collect::<Vec<_>>(), [1, 1, 0]);
        drop(shares);
        assert!(slots.running.lock().is_empty());
    }
}
