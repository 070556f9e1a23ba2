//! Moments of the past at which cards and boards are read.

use serde_json::json;

use crate::time::Timestamp;
use crate::{Code, Error, Result};

/// A moment that is not in the future. A change counts from the time at which its request began, which its history row
/// has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastMoment(Timestamp);

impl PastMoment {
    /// A moment as a request at `now` names it.
    ///
    /// # Errors
    /// `MOMENT_NOT_KNOWN` if it is after `now`.
    pub fn new(at: Timestamp, now: Timestamp) -> Result<Self> {
        if at <= now {
            return Ok(Self(at));
        }
        let error = Error::new(Code::MomentNotKnown, "The moment is in the future.");
        Err(error.with_details(json!({ "notAfter": now })))
    }

    /// The time.
    pub fn time(self) -> Timestamp {
        self.0
    }

    /// The failure to read the columns of a board from before `since`.
    pub fn before_columns(since: Timestamp) -> Error {
        let message = "The columns of the board are not known from before this time.";
        Error::new(Code::MomentNotKnown, message).with_details(json!({ "notBefore": since }))
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
        assert_eq!(later.code, Code::MomentNotKnown);
        assert_eq!(later.details.unwrap()["notAfter"], "2026-11-29T10:00:00.000Z");
    }
}
