//! Bounds the concurrent uploads of one session, and those of one user without a session, in this process.

use std::collections::HashMap;
use std::sync::Arc;

use auth::actor::{Actor, ActorGrant};
use domain::id::{SessionId, UserId};
use domain::{Code, Error, Result};
use parking_lot::Mutex;
use serde_json::json;

/// The number of running uploads of each holder. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Slots {
    running: Arc<Mutex<HashMap<SlotHolder, u32>>>,
    limit: u32,
}

/// The permit of running uploads, released on drop.
#[derive(Debug)]
pub struct Slot {
    slots: Slots,
    holder: SlotHolder,
    uploads: u32,
}

/// The one whose uploads are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SlotHolder {
    Session(SessionId),
    /// A user whose grant belongs to no session.
    User(UserId),
}

impl Slots {
    /// Allows at most `limit` concurrent uploads of each holder.
    pub fn new(limit: u32) -> Self {
        Self { running: Arc::default(), limit }
    }

    /// Takes a slot for one upload of the session.
    ///
    /// # Errors
    /// `RATE_LIMITED` at the limit.
    pub fn take(&self, session: SessionId) -> Result<Slot> {
        self.take_by(SlotHolder::Session(session), |_| 1)
    }

    /// Takes a slot for one upload of a user without a session.
    ///
    /// # Errors
    /// `RATE_LIMITED` at the limit.
    pub fn take_without_session(&self, user: UserId) -> Result<Slot> {
        self.take_by(SlotHolder::User(user), |_| 1)
    }

    /// Takes a slot for one upload by a grant: of its session, or of its user.
    ///
    /// # Errors
    /// `RATE_LIMITED` at the limit.
    pub fn take_for(&self, actor: &Actor, grant: &ActorGrant) -> Result<Slot> {
        match grant.session() {
            Some(granted) => self.take(granted.session),
            None => self.take_without_session(actor.user),
        }
    }

    /// Takes half of the session's free slots, and at least one, for a request with several files. So each request leaves
    /// room for the next.
    ///
    /// # Errors
    /// `RATE_LIMITED` at the limit.
    pub fn take_half(&self, session: SessionId) -> Result<Slot> {
        self.take_by(SlotHolder::Session(session), |free| free.div_ceil(2))
    }

    fn take_by(&self, holder: SlotHolder, share: impl FnOnce(u32) -> u32) -> Result<Slot> {
        let mut running = self.running.lock();
        let count = running.entry(holder).or_default();
        if *count >= self.limit {
            let scope = holder.scope();
            let message = format!("The {scope} already has {count} uploads in progress, which is the limit.");
            let mut error = Error::new(Code::RateLimited, message)
                .with_details(json!({ "scope": scope, "limit": self.limit }));
            error.retry_after_secs = Some(1);
            return Err(error);
        }
        let uploads = share(self.limit.saturating_sub(*count));
        *count += uploads;
        drop(running);
        Ok(Slot { slots: self.clone(), holder, uploads })
    }
}

impl SlotHolder {
    /// The scope of a refusal.
    fn scope(self) -> &'static str {
        match self {
            Self::Session(_) => "session",
            Self::User(_) => "user",
        }
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
        if let Some(count) = running.get_mut(&self.holder) {
            *count = count.saturating_sub(self.uploads);
            if *count == 0 {
                running.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Code;
    use domain::id::{SessionId, UserId};
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
        assert!(slots.take_without_session(UserId(one.0)).is_ok(), "a user is no session");
        drop(held);
        assert!(slots.take(one).is_ok());
        let shares = [(); 3].map(|()| Slots::take_half(&slots, one).map(|slot| (slot.uploads(), slot)));
        let counts = shares.iter().map(|share| share.as_ref().map_or(0, |(uploads, _)| *uploads));
        assert_eq!(counts.collect::<Vec<_>>(), [1, 1, 0]);
        drop(shares);
        assert!(slots.running.lock().is_empty());
    }
}
