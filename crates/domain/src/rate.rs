//! Rate limits of requests and the outcome of counting one.

use std::str::FromStr;
use std::time::Duration;

/// The period of a rate, in seconds.
pub const WINDOW_SECS: u32 = 60;

/// A rate limit; `None` is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(pub Option<Quota>);

/// Sustained rate and burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Requests in a minute, on average.
    pub per_minute: u32,
    /// Requests without a pause.
    pub burst: u32,
}

/// The caller that a request counts against.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A credential, by the hash of its text.
    Credential(String),
    /// The address of a request without a credential.
    Address(String),
}

/// The outcome of counting a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateCount {
    /// The request is within the limit.
    Taken {
        /// Requests left in the burst.
        remaining: u32,
        /// Seconds until the whole burst is available again.
        full_in_secs: u32,
    },
    /// The request exceeds the limit.
    Refused {
        /// True if it exceeds the limit of all callers together.
        of_all: bool,
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
        let number = |text: &str| text.parse().ok().filter(|number| *number > 0).ok_or(InvalidRate);
        Ok(Self(Some(Quota { per_minute: number(per_minute)?, burst: number(burst)? })))
    }
}

impl Quota {
    /// A quota that no caller exceeds.
    pub const BOUNDLESS: Self = Self { per_minute: 60_000_000, burst: 1_000_000_000 };

    /// The time that one request takes from the quota.
    pub fn interval(self) -> Duration {
        Duration::from_secs(u64::from(WINDOW_SECS)) / self.per_minute.max(1)
    }

    /// The time that a whole burst takes from the quota.
    pub fn room(self) -> Duration {
        self.interval() * self.burst
    }
}

#[cfg(test)]
mod tests {
    use super::{Quota, Rate};

    #[test]
    fn a_rate_is_off_or_two_numbers() {
        assert_eq!("600/120".parse(), Ok(Rate(Some(Quota { per_minute: 600, burst: 120 }))));
        assert_eq!("off".parse(), Ok(Rate(None)));
        for bad in ["", "600", "600/", "0/1", "1/0", "-1/1", "a/b", "OFF"] {
            assert!(bad.parse::<Rate>().is_err(), "{bad}");
        }
    }
}
