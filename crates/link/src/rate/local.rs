//! Rate limits in this process's memory.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use domain::rate::{Quota, RateCount};
use parking_lot::Mutex;

/// Most buckets in a process's memory. Full ones are evicted first.
const LOCAL_BUCKETS_MAX: usize = 100_000;
/// Time of local counting before the next attempt in Redis.
const LOCAL_PERIOD: Duration = Duration::from_secs(1);

/// Buckets in this process's memory.
#[derive(Debug, Default)]
pub(crate) struct Local(Mutex<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    /// The time at which each is full again.
    full_at: HashMap<String, Instant>,
    /// End of the local period.
    local_until: Option<Instant>,
}

impl Local {
    pub(super) fn is_active(&self, now: Instant) -> bool {
        self.0.lock().local_until.is_some_and(|until| now < until)
    }

    /// The algorithm of `rate.lua` on this process's memory.
    pub(super) fn count(&self, buckets: &[(String, Quota); 2], now: Instant) -> RateCount {
        let mut local = self.0.lock();
        if local.local_until.is_none_or(|until| until <= now) {
            local.local_until = Some(now + LOCAL_PERIOD);
        }
        if local.full_at.len() >= LOCAL_BUCKETS_MAX {
            local.full_at.retain(|_, full_at| *full_at > now);
        }
        let mut full_in = [Duration::ZERO; 2];
        for ((n, (key, quota)), full_in) in buckets.iter().enumerate().zip(&mut full_in) {
            let ahead = local.full_at.get(key).map_or(Duration::ZERO, |full_at| full_at.duration_since(now));
            *full_in = ahead + quota.interval();
            if let Some(wait) = full_in.checked_sub(quota.room()).filter(|wait| !wait.is_zero()) {
                return RateCount::Refused { of_all: n == 0, retry_after_secs: secs(micros(wait)).max(1) };
            }
        }
        for ((key, _), full_in) in buckets.iter().zip(full_in) {
            local.full_at.insert(key.clone(), now + full_in);
        }
        let [_, (_, quota)] = buckets;
        let [_, full_in] = full_in;
        let left = quota.room().saturating_sub(full_in).as_nanos() / quota.interval().as_nanos().max(1);
        RateCount::Taken {
            remaining: u32::try_from(left).unwrap_or(u32::MAX),
            full_in_secs: secs(micros(full_in)),
        }
    }
}

pub(super) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

pub(super) fn secs(micros: u64) -> u32 {
    u32::try_from(micros.div_ceil(1_000_000)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use domain::rate::{Quota, RateCount};

    use super::Local;

    #[test]
    fn a_burst_is_accepted_at_once_and_then_the_rate() {
        let local = Local::default();
        let buckets =
            [("all".to_owned(), Quota::BOUNDLESS), ("own".to_owned(), Quota { per_minute: 60, burst: 3 })];
        let start = Instant::now();
        let remaining: Vec<RateCount> = (0..4).map(|_| local.count(&buckets, start)).collect();
        assert_eq!(
            remaining,
            [
                RateCount::Taken { remaining: 2, full_in_secs: 1 },
                RateCount::Taken { remaining: 1, full_in_secs: 2 },
                RateCount::Taken { remaining: 0, full_in_secs: 3 },
                RateCount::Refused { of_all: false, retry_after_secs: 1 },
            ]
        );
        let later = start + Duration::from_secs(1);
        assert_eq!(local.count(&buckets, later), RateCount::Taken { remaining: 0, full_in_secs: 3 });
        assert!(matches!(local.count(&buckets, later), RateCount::Refused { .. }));
    }

    #[test]
    fn a_refused_request_uses_up_neither_bucket() {
        let local = Local::default();
        let one = Quota { per_minute: 1, burst: 1 };
        let of = |own: &str| [("all".to_owned(), one), (own.to_owned(), one)];
        let now = Instant::now();
        assert!(matches!(local.count(&of("a"), now), RateCount::Taken { .. }));
        assert_eq!(local.count(&of("b"), now), RateCount::Refused { of_all: true, retry_after_secs: 60 });
        let later = now + Duration::from_secs(60);
        assert!(matches!(local.count(&of("b"), later), RateCount::Taken { .. }));
    }
}
