//! Rate limits of requests and the outcome of counting one.

use std::str::FromStr;
use std::time::Duration;

/// The period of a rate, in seconds.
pub const WINDOW_SECS: u32 = 60;

/// A rate limit; `None` is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(pub Option<Quota>);

/// Sustained rate and burst, in requests or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Amount in a minute, on average.
    pub per_minute: u64,
    /// Amount without a pause.
    pub burst: u64,
}

/// A bucket that a request counts against, and its part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Name of the bucket, unique in the deployment.
    pub bucket: String,
    /// Time in which the bucket refills what the request takes.
    pub cost: Duration,
    /// Time in which the empty bucket refills.
    pub room: Duration,
    /// True if a bucket with any room left takes the whole cost, however large. It refills before it takes the next.
    pub overdraws: bool,
}

/// All buckets of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charges {
    /// The bucket of all callers. The more of its own buckets a caller has used, the less room it has here: half of it
    /// remains for callers that have used nothing.
    pub all: Charge,
    /// The caller's own buckets.
    pub own: Vec<Charge>,
    /// True if the caller is not authenticated. Strangers together have half of the room of all callers.
    pub is_stranger: bool,
}

/// The outcome of counting a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RateCount {
    /// The request is within all limits. For each of the caller's own buckets, the time until it is full again.
    Taken(Vec<Duration>),
    /// The request exceeds a limit, and uses up nothing.
    Refused {
        /// The place of the limit among the caller's own; `None` for the limit of all callers together.
        own: Option<usize>,
        /// Seconds to wait; at least 1.
        retry_after_secs: u32,
    },
}

/// The text is not a rate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be `off`, or PER_MINUTE/BURST with numbers from 1, as in 600/120")]
pub struct InvalidRate;

impl FromStr for Rate {
    type Err = InvalidRate;

    fn from_str(text: &str) -> Result<Self, InvalidRate> {
        if text == "off" {
            return Ok(Self(None));
        }
        let (per_minute, burst) = text.split_once('/').ok_or(InvalidRate)?;
        let number = |text: &str| {
            text.parse().ok().filter(|number| (1..=Quota::MOST).contains(number)).ok_or(InvalidRate)
        };
        Ok(Self(Some(Quota { per_minute: number(per_minute)?, burst: number(burst)? })))
    }
}

impl Quota {
    /// A quota of requests that no caller exceeds.
    pub const BOUNDLESS: Self = Self { per_minute: 60_000_000, burst: 1_000_000_000 };
    /// Largest number in a quota: a thousand terabytes.
    const MOST: u64 = 1_000_000_000_000_000;

    /// The time in which an amount is refilled, rounded up to nanoseconds.
    pub fn time(self, amount: u64) -> Duration {
        let nanos = u128::from(amount) * Duration::from_secs(u64::from(WINDOW_SECS)).as_nanos();
        let nanos = nanos.div_ceil(u128::from(self.per_minute.max(1)));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The charge of `amount` to a bucket with this quota.
    pub fn charge(self, bucket: String, amount: u64) -> Charge {
        Charge { bucket, cost: self.time(amount), room: self.time(self.burst), overdraws: false }
    }

    /// The rest of the burst in a bucket that is full again after `used`.
    pub fn remaining(self, used: Duration) -> u64 {
        let left = self.time(self.burst).saturating_sub(used).as_nanos();
        u64::try_from(left / self.time(1).as_nanos().max(1)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Quota, Rate};

    #[test]
    fn a_rate_is_off_or_two_numbers() {
        assert_eq!("600/120".parse(), Ok(Rate(Some(Quota { per_minute: 600, burst: 120 }))));
        assert_eq!("off".parse(), Ok(Rate(None)));
        for bad in ["", "600", "600/", "0/1", "1/0", "-1/1", "a/b", "OFF", "1/1000000000000001"] {
            assert!(bad.parse::<Rate>().is_err(), "{bad}");
        }
    }

    #[test]
    fn times_of_requests_and_bytes_are_exact() {
        let requests = Quota { per_minute: 600, burst: 120 };
        assert_eq!(requests.time(1), Duration::from_millis(100));
        assert_eq!(
            (requests.remaining(Duration::ZERO), requests.remaining(Duration::from_secs(3))),
            (120, 90)
        );
        let bytes = Quota { per_minute: 7_000_000_000, burst: 70_000_000_000 };
        assert_eq!(bytes.time(7_000_000_000), Duration::from_secs(60));
        assert_eq!(bytes.charge("b".to_owned(), 1_000).room, Duration::from_secs(600));
    }
}
