//! How many requests are taken, and what became of one that was counted.

use std::str::FromStr;
use std::time::Duration;

/// Over which time rates are said, in seconds.
pub const WINDOW_SECS: u32 = 60;

/// How many requests are taken; `None` takes all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(pub Option<Quota>);

/// So many requests a minute, and so many at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Requests in a minute, in the long run.
    pub per_minute: u32,
    /// Requests at once.
    pub burst: u32,
}

/// Whose request is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// That of a credential: the hash of its text.
    Credential(String),
    /// That of an address without a credential.
    Address(String),
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// It may go on.
    Taken {
        /// How many more may follow at once.
        remaining: u32,
        /// Seconds until as many may follow as ever.
        full_in_secs: u32,
    },
    /// It is one too many.
    Refused {
        /// Whether it is one too many of all callers together.
        of_all: bool,
        /// Seconds to wait; at least 1.
        retry_after_secs: u32,
    },
}

/// A text that says no rate.
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
    /// What nothing exceeds.
    pub const BOUNDLESS: Self = Self { per_minute: 60_000_000, burst: 1_000_000_000 };

    /// The time that stands for one request.
    pub fn interval(self) -> Duration {
        Duration::from_secs(u64::from(WINDOW_SECS)) / self.per_minute.max(1)
    }

    /// The time that stands for all requests at once.
    pub fn room(self) -> Duration {
        self.interval() * self.burst
    }
}

#[cfg(test)]
mod tests {
    use super::{Quota, Rate};

    #[test]
    fn a_rate_is_read_or_refused() {
        assert_eq!("600/120".parse(), Ok(Rate(Some(Quota { per_minute: 600, burst: 120 }))));
        assert_eq!("off".parse(), Ok(Rate(None)));
        for bad in ["", "600", "600/", "0/1", "1/0", "-1/1", "a/b", "OFF"] {
            assert!(bad.parse::<Rate>().is_err(), "{bad}");
        }
    }
}
