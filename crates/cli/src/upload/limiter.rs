//! The number of requests on their way at once: it grows while the service takes them, and halves when the service asks for
//! less or becomes slow (additive increase, multiplicative decrease).

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

/// Fewest requests at once.
const LEAST: f64 = 1.0;
/// An answer that takes this many times the quickest is slow.
const SLOW: u32 = 20;
/// Answers quicker than this are never slow.
const QUICK: Duration = Duration::from_millis(250);
/// Shortest time between two decreases: one burst of refusals counts once.
const SETTLE: Duration = Duration::from_millis(500);

/// A limit that adapts.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimiter {
    state: Mutex<Window>,
    freed: Notify,
}

#[derive(Debug)]
struct Window {
    limit: f64,
    most: f64,
    running: u32,
    quickest: Duration,
    decreased: Option<Instant>,
}

/// One running transfer.
#[derive(Debug)]
pub(crate) struct ConcurrencyPermit<'a> {
    limiter: &'a ConcurrencyLimiter,
    began: Instant,
}

impl ConcurrencyLimiter {
    /// A limit that begins with `first` requests and never exceeds `most`.
    pub(crate) fn new(first: u32, most: u32) -> Self {
        Self { state: Mutex::new(Window::new(first, most)), freed: Notify::new() }
    }

    /// Waits for a place.
    pub(crate) async fn permit(&self) -> ConcurrencyPermit<'_> {
        loop {
            let freed = self.freed.notified();
            if self.state.lock().enter() {
                return ConcurrencyPermit { limiter: self, began: Instant::now() };
            }
            freed.await;
        }
    }
}

impl ConcurrencyPermit<'_> {
    /// Reports how the transfer went. `was_refused` says that the service asked for less meanwhile, `is_measure` that its
    /// time tells how quick the service is.
    pub(crate) fn report(&self, was_refused: bool, is_measure: bool) {
        let now = Instant::now();
        self.limiter.state.lock().learn(now, is_measure.then(|| now - self.began), was_refused);
    }
}

impl Drop for ConcurrencyPermit<'_> {
    fn drop(&mut self) {
        self.limiter.state.lock().running -= 1;
        self.limiter.freed.notify_waiters();
    }
}

impl Window {
    fn new(first: u32, most: u32) -> Self {
        let (limit, most) = (f64::from(first), f64::from(most));
        Self { limit, most, running: 0, quickest: Duration::MAX, decreased: None }
    }

    fn enter(&mut self) -> bool {
        let has_room = f64::from(self.running) + 1.0 <= self.limit;
        if has_room {
            self.running += 1;
        }
        has_room
    }

    fn learn(&mut self, now: Instant, took: Option<Duration>, was_refused: bool) {
        self.quickest = took.map_or(self.quickest, |took| self.quickest.min(took));
        let is_slow = took.is_some_and(|took| took > QUICK && took > self.quickest.saturating_mul(SLOW));
        if !was_refused && !is_slow {
            self.limit = (self.limit + 1.0 / self.limit).min(self.most);
            return;
        }
        if self.decreased.is_none_or(|last| now.duration_since(last) >= SETTLE) {
            self.decreased = Some(now);
            self.limit = (self.limit / 2.0).max(LEAST);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::{LEAST, Window};

    const MOST: f64 = 30.0;

    fn window() -> Window {
        Window::new(4, 30)
    }

    #[test]
    fn it_grows_while_answers_are_quick_and_halves_once_for_a_burst() {
        let (mut window, now, quick) = (window(), Instant::now(), Duration::from_millis(10));
        for _ in 0..1000 {
            window.learn(now, Some(quick), false);
        }
        assert!((window.limit - MOST).abs() < f64::EPSILON);
        for _ in 0..10 {
            window.learn(now, Some(quick), true);
        }
        assert!((window.limit - MOST / 2.0).abs() < f64::EPSILON);
        window.learn(now + Duration::from_secs(1), Some(Duration::from_secs(2)), false);
        assert!((window.limit - MOST / 4.0).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn it_stays_within_its_bounds(answers in prop::collection::vec((0_u64..5000, any::<bool>()), 0..300)) {
            let (mut window, mut now) = (window(), Instant::now());
            for (millis, was_refused) in answers {
                now += Duration::from_millis(millis);
                window.learn(now, Some(Duration::from_millis(millis)), was_refused);
                prop_assert!((LEAST..=MOST).contains(&window.limit));
                prop_assert!(window.limit < 2.0 || window.enter());
                window.running = 0;
            }
        }
    }
}
