//! How many uploads of one session this process receives at a time.

use std::collections::HashMap;
use std::sync::Arc;

use domain::id::SessionId;
use domain::{Code, Error, Result};
use parking_lot::Mutex;
use serde_json::json;

/// The uploads that are under way. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Slots {
    running: Arc<Mutex<HashMap<SessionId, u32>>>,
    limit: u32,
}

/// The right to receive one upload; dropping it gives it back.
#[derive(Debug)]
pub struct Slot {
    slots: Slots,
    session: SessionId,
}

impl Slots {
    /// At most `limit` uploads of each session.
    pub fn new(limit: u32) -> Self {
        Self { running: Arc::default(), limit }
    }

    /// A slot for one more upload of the session.
    ///
    /// # Errors
    /// `RATE_LIMITED` where it has as many as it may.
    pub fn take(&self, session: SessionId) -> Result<Slot> {
        let mut running = self.running.lock();
        let count = running.entry(session).or_default();
        if *count >= self.limit {
            let message = format!("The session has {count} uploads under way, which is as many as it may.");
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
    use domain::time::Timestamp;

    use super::Slots;

    #[test]
    fn a_session_has_as_many_slots_as_it_may_and_gets_them_back() {
        let slots = Slots::new(2);
        let now = Timestamp::now();
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
