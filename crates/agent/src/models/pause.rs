//! How long a model's server wants to be left alone: `Retry-After` in seconds or as a date, and `retry-after-ms`.

use std::time::{Duration, SystemTime};

use domain::time::Timestamp;
use domain::{Error, Result};
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Attempts of a call that fails for a passing reason.
const ATTEMPTS: u32 = 3;
/// The pause after the first attempt, if the server names none. It doubles with each attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause that a run waits. A minute is common; OpenAI's own client waits as long.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);
/// The header of OpenAI, in milliseconds.
const RETRY_AFTER_MS: &str = "retry-after-ms";

/// A call of a model without an answer.
#[derive(Debug)]
pub struct AskFailure {
    /// Why.
    pub error: Error,
    /// True if a retry may succeed.
    pub(super) is_transient: bool,
    /// The pause for which the server asks.
    pub(super) told: Option<Duration>,
}

/// A pause before the next attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Its length.
    pub length: Duration,
    /// The failure's message, if the server asks for the pause.
    pub reason: Option<String>,
}

impl AskFailure {
    /// The failure of a call that no server has answered.
    pub(super) fn unanswered(error: Error) -> Self {
        Self { error, is_transient: true, told: None }
    }

    /// The pause before the next attempt.
    ///
    /// # Errors
    /// The failure itself where no pause helps: a retry can't succeed, there were enough, or the server asks for more time
    /// than a run waits, which the message says.
    pub fn pause(self, attempt: u32) -> Result<Pause> {
        let Self { mut error, is_transient, told } = self;
        let is_over = !is_transient || attempt >= ATTEMPTS || told.is_some_and(|told| told > LONGEST_PAUSE);
        match told {
            Some(told) if is_over => {
                let secs = told.as_secs_f64().ceil();
                let message = sentence(&error.message);
                error.message = format!("{message} The server asks to be left alone for {secs} s.");
                Err(error)
            }
            None if is_over => Err(error),
            Some(told) => Ok(Pause { length: told, reason: Some(error.message) }),
            None => {
                let length = FIRST_PAUSE * 2_u32.saturating_pow(attempt.saturating_sub(1));
                Ok(Pause { length, reason: None })
            }
        }
    }
}

/// The pause for which a server asks, if it asks for one.
pub(super) fn told(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let number = |text: &str, unit: f64| {
        let seconds = text.trim().parse::<f64>().ok()? * unit;
        Duration::try_from_secs_f64(seconds).ok()
    };
    let header = |name: &str| headers.get(name)?.to_str().ok();
    let exact = header(RETRY_AFTER_MS).and_then(|text| number(text, 0.001));
    let pause = exact.or_else(|| {
        let text = header(RETRY_AFTER.as_str())?;
        let date =
            || httpdate::parse_http_date(text.trim()).ok()?.duration_since(SystemTime::from(now.0)).ok();
        number(text, 1.0).or_else(date)
    });
    pause.filter(|pause| !pause.is_zero())
}

/// A message as a sentence: the server's own words may end without a stop.
fn sentence(message: &str) -> String {
    if message.ends_with(['.', '!', '?', '…']) { message.to_owned() } else { format!("{message}.") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::time::Timestamp;
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{AskFailure, Pause, told};
    use crate::models::failed;

    #[test]
    fn a_servers_pause_is_read_in_every_form() {
        let now = Timestamp::parse("2026-11-27T12:00:00Z").unwrap();
        for (headers, millis) in [
            (vec![("retry-after", "30")], Some(30_000)),
            (vec![("retry-after", " 1.5 ")], Some(1_500)),
            (vec![("retry-after", "Fri, 27 Nov 2026 12:01:00 GMT")], Some(60_000)),
            (vec![("retry-after", "Fri, 27 Nov 2026 11:00:00 GMT")], None),
            (vec![("retry-after-ms", "250")], Some(250)),
            (vec![("retry-after-ms", "250"), ("retry-after", "30")], Some(250)),
            (vec![("retry-after-ms", "soon"), ("retry-after", "3")], Some(3_000)),
            (vec![("retry-after", "0")], None),
            (vec![("retry-after", "-5")], None),
            (vec![("retry-after", "1e300")], None),
            (vec![("retry-after", "later")], None),
            (vec![], None),
        ] {
            let pairs = headers
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            let pause = told(&pairs.collect::<HeaderMap>(), now);
            assert_eq!(pause, millis.map(Duration::from_millis), "{headers:?}");
        }
    }

    #[test]
    fn a_run_waits_for_two_minutes_at_most_and_says_what_is_asked_of_it() {
        let failure = |is_transient: bool, told: Option<u64>| AskFailure {
            error: failed("Status 429: slow down"),
            is_transient,
            told: told.map(Duration::from_secs),
        };
        let reason = |is_told: bool| is_told.then(|| "Status 429: slow down".to_owned());
        let waits = |length: Duration, is_told: bool| Ok(Pause { length, reason: reason(is_told) });
        let said =
            |failure: AskFailure, attempt: u32| failure.pause(attempt).map_err(|error| error.to_string());
        assert_eq!(said(failure(true, Some(60)), 1), waits(Duration::from_secs(60), true));
        assert_eq!(said(failure(true, Some(120)), 2), waits(Duration::from_secs(120), true));
        assert_eq!(said(failure(true, None), 2), waits(Duration::from_secs(1), false));
        let long = "Status 429: slow down. The server asks to be left alone for 3600 s.";
        assert_eq!(said(failure(true, Some(3600)), 1), Err(long.to_owned()));
        assert_eq!(said(failure(true, None), 3), Err("Status 429: slow down".to_owned()));
        assert_eq!(said(failure(false, None), 1), Err("Status 429: slow down".to_owned()));
    }
}
