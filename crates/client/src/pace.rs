//! The pace of requests: `RateLimit` and `RateLimit-Policy` of answers space out the requests that follow.
//!
//! An allowance that is nearly used up spreads further requests over its refill, so that few are ever refused.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reqwest::header::HeaderMap;

/// Requests that remain when pacing begins: room for those already on their way.
const RESERVE: u64 = 16;
/// Longest gap between two requests that pacing makes.
const GAP_MAX: Duration = Duration::from_secs(5);

/// Spaces out the requests to one plane. Requests that it never saw may still be refused.
#[derive(Debug, Default)]
pub(crate) struct Pacer(Mutex<Schedule>);

#[derive(Debug, Default)]
struct Schedule {
    /// Time between two requests; zero while the allowance is ample.
    gap: Duration,
    /// The earliest start of the next request.
    next: Option<Instant>,
}

impl Pacer {
    /// Waits for this request's turn.
    pub(crate) async fn turn(&self) {
        let start = self.0.lock().book(Instant::now());
        if let Some(start) = start {
            tokio::time::sleep_until(start.into()).await;
        }
    }

    /// Learns from the headers of an answer.
    pub(crate) fn learn(&self, headers: &HeaderMap) {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if let Some(gap) = gap(text("ratelimit"), text("ratelimit-policy")) {
            self.0.lock().gap = gap;
        }
    }

    /// Holds further requests back after a 429.
    pub(crate) fn hold(&self, pause: Duration) {
        let mut schedule = self.0.lock();
        let until = Instant::now() + pause;
        schedule.next = Some(schedule.next.map_or(until, |next| next.max(until)));
    }
}

impl Schedule {
    /// Books the next start; `None` if the request can start at once.
    fn book(&mut self, now: Instant) -> Option<Instant> {
        let start = self.next.filter(|next| *next > now);
        self.next = match (start, self.gap.is_zero()) {
            (None, true) => None,
            (Some(start), true) => Some(start),
            (start, false) => Some(start.unwrap_or(now) + self.gap),
        };
        start
    }
}

/// The time between requests after an answer with these headers; `None` if they can't be read.
///
/// `"key";r=3;t=40` says that three requests remain, `"key";q=600;w=60` that one is refilled each 100 ms.
fn gap(limit: &str, policy: &str) -> Option<Duration> {
    let name = limit.split(';').next()?.trim();
    let remaining = parameter(limit, "r")?;
    if remaining > RESERVE {
        return Some(Duration::ZERO);
    }
    let policy = policy.split(',').map(str::trim).find(|policy| policy.split(';').next() == Some(name))?;
    let quota = u32::try_from(parameter(policy, "q")?).ok().filter(|quota| *quota > 0)?;
    let window = Duration::from_secs(parameter(policy, "w")?);
    Some((window / quota).min(GAP_MAX))
}

fn parameter(text: &str, name: &str) -> Option<u64> {
    let mut parameters = text.split(';').skip(1).filter_map(|parameter| parameter.trim().split_once('='));
    parameters.find(|(key, _)| *key == name)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Schedule, gap};

    const POLICY: &str = r#""key";q=600;w=60, "user";q=1200;w=60, "global";q=10000;w=60"#;

    #[test]
    fn requests_are_spaced_out_when_the_allowance_is_nearly_used_up() {
        assert_eq!(gap(r#""key";r=100;t=3"#, POLICY), Some(Duration::ZERO));
        assert_eq!(gap(r#""key";r=2;t=60"#, POLICY), Some(Duration::from_millis(100)));
        assert_eq!(gap(r#""user";r=0;t=60"#, POLICY), Some(Duration::from_millis(50)));
    }

    #[test]
    fn unreadable_headers_change_nothing() {
        for (limit, policy) in
            [("", ""), ("\"key\"", POLICY), ("\"x\";r=0;t=1", POLICY), (r#""key";r=0"#, r#""key";q=0;w=60"#)]
        {
            assert_eq!(gap(limit, policy), None, "{limit} {policy}");
        }
    }

    #[test]
    fn each_request_has_a_turn_of_its_own() {
        let now = Instant::now();
        let gap = Duration::from_millis(100);
        let mut schedule = Schedule { gap, next: None };
        assert_eq!(schedule.book(now), None);
        assert_eq!(schedule.book(now), Some(now + gap));
        assert_eq!(schedule.book(now), Some(now + 2 * gap));
        assert_eq!(schedule.book(now + 10 * gap), None);
    }
}
