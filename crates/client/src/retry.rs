//! The rules of repeats: which failed request may be sent again, and when.
//!
//! They are those of the guide's page on errors and retries. A repeat never applies a change twice.

use std::time::Duration;

use backon::ExponentialBuilder;
use domain::Code;

use crate::error::RequestError;

/// The harm that a repeat can do after the first request may have been applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// None: it reads, sets the same state again, or carries an idempotency key.
    Safe,
    /// It might be applied twice.
    Unsafe,
}

/// Limits of repeats.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// Most repeats of a request.
    pub max_retries: usize,
    /// The first delay. It doubles with each repeat and is varied at random.
    pub min_delay: Duration,
    /// The longest delay, unless the service asks for a longer one.
    pub max_delay: Duration,
}

impl Default for RetryPolicy {
    /// Bridges about two minutes without the service.
    fn default() -> Self {
        Self { max_retries: 9, min_delay: Duration::from_millis(500), max_delay: Duration::from_secs(30) }
    }
}

impl RetryPolicy {
    /// A policy without repeats.
    pub fn never() -> Self {
        Self { max_retries: 0, ..Self::default() }
    }

    pub(crate) fn backoff(&self) -> ExponentialBuilder {
        ExponentialBuilder::default()
            .with_min_delay(self.min_delay)
            .with_max_delay(self.max_delay)
            .with_max_times(self.max_retries)
            .with_jitter()
    }
}

/// True if a request that failed in this way may be sent again. `failures` counts the answers with status 500 so far,
/// this one included: a bug is tried once more.
pub(crate) fn may_repeat(error: &RequestError, repeat: Repeat, failures: usize) -> bool {
    let is_safe = repeat == Repeat::Safe;
    match error {
        RequestError::Unreachable { .. } => true,
        RequestError::Interrupted { .. } => is_safe,
        RequestError::Refused(answer) if answer.is_outcome_unknown() => is_safe,
        RequestError::Refused(answer) => match answer.status {
            408 | 429 | 503 => true,
            409 => answer.code == Some(Code::IdempotencyInProgress),
            500 => is_safe && failures <= 1,
            _ => false,
        },
        RequestError::Unexpected { .. }
        | RequestError::Path { .. }
        | RequestError::File { .. }
        | RequestError::FileChanged { .. }
        | RequestError::Damaged { .. } => false,
    }
}

/// The delay before a repeat: that of the backoff, or the longer one that the service asked for.
pub(crate) fn delay(error: &RequestError, backoff: Option<Duration>) -> Option<Duration> {
    let asked = error.retry_after().unwrap_or_default();
    backoff.map(|backoff| if asked > backoff { asked + backoff / 4 } else { backoff })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{Repeat, delay, may_repeat};
    use crate::error::{ErrorAnswer, RequestError};

    fn refused(status: u16, body: &str) -> RequestError {
        RequestError::Refused(Box::new(ErrorAnswer::of_body(status, body.as_bytes())))
    }

    #[test]
    fn a_change_that_may_have_been_applied_is_repeated_only_where_that_is_safe() {
        let unknown = r#"{"error":{"code":"UNAVAILABLE","message":"","details":{"outcome":"unknown"}}}"#;
        let broken = || RequestError::Interrupted { host: String::new(), cause: String::new() };
        for error in [refused(503, unknown), refused(502, ""), refused(504, ""), refused(500, ""), broken()] {
            assert!(may_repeat(&error, Repeat::Safe, 1), "{error:?}");
            assert!(!may_repeat(&error, Repeat::Unsafe, 1), "{error:?}");
        }
        let none = r#"{"error":{"code":"UNAVAILABLE","message":"","details":{"outcome":"none"}}}"#;
        for error in [refused(503, none), refused(429, ""), refused(408, "")] {
            assert!(may_repeat(&error, Repeat::Unsafe, 0), "{error:?}");
        }
    }

    #[test]
    fn a_wrong_request_is_not_repeated() {
        for status in [400, 401, 402, 403, 404, 405, 409, 412, 413, 415, 416, 422, 423, 460] {
            assert!(!may_repeat(&refused(status, ""), Repeat::Safe, 0), "{status}");
        }
        let running = r#"{"error":{"code":"IDEMPOTENCY_IN_PROGRESS","message":""}}"#;
        assert!(may_repeat(&refused(409, running), Repeat::Safe, 0));
    }

    #[test]
    fn a_bug_is_tried_once_more() {
        assert!(may_repeat(&refused(500, ""), Repeat::Safe, 1));
        assert!(!may_repeat(&refused(500, ""), Repeat::Safe, 2));
    }

    proptest! {
        #[test]
        fn a_repeat_never_comes_before_the_service_allows_it(asked in 0_u64..600, backoff in 0_u64..60_000) {
            let mut answer = ErrorAnswer::of_body(429, b"");
            answer.retry_after = Some(Duration::from_secs(asked));
            let waited = delay(&RequestError::Refused(Box::new(answer)), Some(Duration::from_millis(backoff))).unwrap();
            prop_assert!(waited >= Duration::from_secs(asked) && waited >= Duration::from_millis(backoff));
        }
    }
}
