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

/// The permit of one running upload, released on drop.
#[derive(Debug)]
pub struct Slot {
    slots: Slots,
    session: SessionId,
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
        let mut running = self.running.lock();
        let count = running.entry(session).or_default();
        if *count >= self.limit {
            let message = format!("The session already has {count} uploads in progress, which is the limit.");
            let mut error = Error::new(Code::RateLimited, message)
                .with_details(json!({ "scope": "session", "limit": self.limit }));
            error.retry_after_secs = Some(1);
            return Err(error);
        }
        *count += 1;
        drop(running);
        Ok(Slot { slots: self.clone(), session })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut running = self.slots.running.lock();
        if let Some(count) = running.get_mut(&self.session) {
            *count = count.saturating_sub(1);
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
        assert!(slots.running.lock().is_empty());
    }
}
