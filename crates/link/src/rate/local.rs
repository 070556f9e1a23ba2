//! Rate limits in this process's memory.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use domain::rate::{Charge, Charges, RateCount};
use parking_lot::Mutex;

/// Most buckets in a process's memory.
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
    pub(super) fn count(&self, charges: &Charges, now: Instant) -> RateCount {
        let mut local = self.0.lock();
        if local.local_until.is_none_or(|until| until <= now) {
            local.local_until = Some(now + LOCAL_PERIOD);
        }
        local.make_room(now);
        let refused =
            |own, wait: Duration| RateCount::Refused { own, retry_after_secs: secs(micros(wait)).max(1) };
        let mut used: f64 = if charges.is_stranger { 1.0 } else { 0.0 };
        let mut after = Vec::with_capacity(charges.own.len());
        for (n, charge) in charges.own.iter().enumerate() {
            let before = local.before(charge, now);
            let demand = if charge.overdraws { before } else { before + charge.cost };
            if let Some(over) = demand.checked_sub(charge.room).filter(|over| !over.is_zero()) {
                return refused(Some(n), over);
            }
            used = used.max(before.div_duration_f64(charge.room).min(1.0));
            after.push(before + charge.cost);
        }
        let all = &charges.all;
        let (all_after, share) = (local.before(all, now) + all.cost, share(all, used));
        if let Some(over) = all_after.checked_sub(share).filter(|over| !over.is_zero()) {
            return refused(None, over);
        }
        local.full_at.insert(all.bucket.clone(), now + all_after);
        for (charge, after) in charges.own.iter().zip(&after) {
            local.full_at.insert(charge.bucket.clone(), now + *after);
        }
        RateCount::Taken(after)
    }
}

impl Buckets {
    /// The time until a bucket is full.
    fn before(&self, charge: &Charge, now: Instant) -> Duration {
        self.full_at.get(&charge.bucket).map_or(Duration::ZERO, |full_at| full_at.duration_since(now))
    }

    /// Keeps the number of buckets within bounds. Of those that are not full, the half that is full first is removed:
    /// callers that have used little gain little.
    fn make_room(&mut self, now: Instant) {
        if self.full_at.len() < LOCAL_BUCKETS_MAX {
            return;
        }
        self.full_at.retain(|_, full_at| *full_at > now);
        if self.full_at.len() < LOCAL_BUCKETS_MAX {
            return;
        }
        let mut times: Vec<Instant> = self.full_at.values().copied().collect();
        let middle = times.len() / 2;
        let (_, &mut median, later) = times.select_nth_unstable(middle);
        // Equal times may be most of them.
        let mut equal = middle.saturating_sub(later.iter().filter(|time| **time > median).count());
        self.full_at.retain(|_, full_at| {
            let is_equal = *full_at == median && equal > 0;
            equal -= usize::from(is_equal);
            *full_at > median || is_equal
        });
    }
}

/// The part of the room of all callers for one that has used this part of its own, in whole requests.
fn share(all: &Charge, used: f64) -> Duration {
    let part = all.room.mul_f64(1.0 - used / 2.0).as_nanos();
    let requests = part.div_ceil(all.cost.as_nanos().max(1));
    all.cost * u32::try_from(requests).unwrap_or(u32::MAX)
}

pub(super) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000)).unwrap_or(u64::MAX)
}

pub(super) fn secs(micros: u64) -> u32 {
    u32::try_from(micros.div_ceil(1_000_000)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use domain::rate::{Charges, Quota, RateCount};

    use super::{LOCAL_BUCKETS_MAX, Local};

    /// One request of a caller.
    fn of(own: &str, quota: Quota, all: Quota) -> Charges {
        let own = vec![quota.charge(own.to_owned(), 1)];
        Charges { all: all.charge("all".to_owned(), 1), own, is_stranger: false }
    }

    fn taken(secs: u64) -> RateCount {
        RateCount::Taken(vec![Duration::from_secs(secs)])
    }

    #[test]
    fn a_burst_is_accepted_at_once_and_then_the_rate() {
        let local = Local::default();
        let charges = of("own", Quota { per_minute: 60, burst: 3 }, Quota::BOUNDLESS);
        let start = Instant::now();
        let counted: Vec<RateCount> = (0..4).map(|_| local.count(&charges, start)).collect();
        let refused = RateCount::Refused { own: Some(0), retry_after_secs: 1 };
        assert_eq!(counted, [taken(1), taken(2), taken(3), refused.clone()]);
        let later = start + Duration::from_secs(1);
        assert_eq!(local.count(&charges, later), taken(3));
        assert_eq!(local.count(&charges, later), refused);
    }

    #[test]
    fn a_refused_request_uses_up_neither_bucket() {
        let local = Local::default();
        let one = Quota { per_minute: 1, burst: 1 };
        let now = Instant::now();
        assert_eq!(local.count(&of("a", one, one), now), taken(60));
        let refused = RateCount::Refused { own: None, retry_after_secs: 60 };
        assert_eq!(local.count(&of("b", one, one), now), refused);
        assert_eq!(local.count(&of("b", one, one), now + Duration::from_secs(60)), taken(60));
    }

    #[test]
    fn a_caller_that_has_used_up_its_own_leaves_half_of_all_to_others() {
        let local = Local::default();
        let (own, all) = (Quota { per_minute: 1, burst: 10 }, Quota { per_minute: 1, burst: 10 });
        let now = Instant::now();
        let passes = |charges: &Charges| {
            (0..20).filter(|_| matches!(local.count(charges, now), RateCount::Taken(_))).count()
        };
        let greedy = passes(&of("greedy", own, all));
        assert!((5..=7).contains(&greedy), "{greedy}");
        let stranger = Charges { is_stranger: true, ..of("stranger", own, all) };
        assert_eq!(passes(&stranger), 0);
        assert!(passes(&of("modest", own, all)) > 0);
    }

    #[test]
    fn bytes_overdraw_a_bucket_once_and_then_wait() {
        let local = Local::default();
        let bytes = Quota { per_minute: 60, burst: 10 };
        let upload = |size: u64| {
            let own = vec![domain::rate::Charge { overdraws: true, ..bytes.charge("b".to_owned(), size) }];
            Charges { own, ..of("", bytes, Quota::BOUNDLESS) }
        };
        let now = Instant::now();
        assert_eq!(local.count(&upload(30), now), taken(30));
        assert_eq!(local.count(&upload(1), now), RateCount::Refused { own: Some(0), retry_after_secs: 20 });
        assert_eq!(local.count(&upload(1), now + Duration::from_secs(20)), taken(11));
    }

    #[test]
    fn memory_is_bounded_even_if_no_bucket_is_full() {
        let local = Local::default();
        let slow = Quota { per_minute: 1, burst: 10 };
        let now = Instant::now();
        let heavy = of("heavy", slow, Quota::BOUNDLESS);
        for _ in 0..10 {
            local.count(&heavy, now);
        }
        for n in 0..2 * LOCAL_BUCKETS_MAX {
            local.count(&of(&n.to_string(), slow, Quota::BOUNDLESS), now);
        }
        assert!(local.0.lock().full_at.len() <= LOCAL_BUCKETS_MAX + 2);
        assert!(matches!(local.count(&heavy, now), RateCount::Refused { .. }), "its use is remembered");
    }
}
