//! Moments of the past at which cards and boards are read.

use crate::time::Timestamp;
use crate::{Error, Result, Rule};

/// A moment that is not in the future. A change counts from the time at which its request began, which its history row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastMoment(Timestamp);

impl PastMoment {
    /// A moment as a request at `now` names it.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `at` if it is after `now`.
    pub fn new(at: Timestamp, now: Timestamp) -> Result<Self> {
        if at > now { Err(Error::broken("at", Rule::NotAfter(now.to_string()))) } else { Ok(Self(at)) }
    }

    /// The time.
    pub fn time(self) -> Timestamp {
        self.0
    }

    /// The failure to read what is not known before `since`.
    pub fn unknown_before(since: Timestamp, kept: &str) -> Error {
        let message = format!("must not be before {since}, since when {kept} are kept");
        Error::invalid("at", Rule::NotBefore(since.to_string()), message)
    }
}

#[cfg(test)]
mod tests {
    use super::PastMoment;
    use crate::Code;
    use crate::time::Timestamp;

    #[test]
    fn the_moment_of_the_request_is_past_and_a_later_one_is_not() {
        let at = |text| Timestamp::parse(text).unwrap();
        let now = at("2026-11-29T10:00:00.000Z");
        assert_eq!(PastMoment::new(now, now).unwrap().time(), now);
        let later = PastMoment::new(at("2026-11-29T10:00:00.001Z"), now).unwrap_err();
        assert_eq!(later.code, Code::InvalidRequest);
        assert!(later.to_string().contains("must not be after 2026-11-29T10:00:00.000Z"), "{later}");
    }
}
