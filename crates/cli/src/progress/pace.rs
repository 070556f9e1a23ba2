//! The pace of a transfer: how long the rest will take, or for how long nothing has moved.

use std::collections::VecDeque;
use std::time::Duration;

/// The time by which the rest is estimated, and the least of it that says something.
const WINDOW: Duration = Duration::from_secs(20);
const LEAST: Duration = Duration::from_secs(3);
/// The time without a byte after which a person wants to know why.
const STILL: Duration = Duration::from_secs(5);

/// The bytes that had moved at moments of the last seconds. A slow beginning and the bytes of an earlier run say nothing
/// of the rest.
#[derive(Debug, Default)]
pub(super) struct Pace {
    moments: VecDeque<(Duration, u64)>,
    /// The last change of the moved bytes.
    last: (Duration, u64),
}

/// How a transfer goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    /// The rest takes this time.
    Left(Duration),
    /// Nothing has moved for this time.
    Still(Duration),
}

impl Pace {
    /// Adds a moment, and tells how it goes on. `None` as long as that would be a guess, and once all has moved.
    pub(super) fn outlook(&mut self, elapsed: Duration, moved: u64, all: u64) -> Option<Outlook> {
        if moved != self.last.1 {
            self.last = (elapsed, moved);
        }
        while self.moments.front().is_some_and(|(then, _)| elapsed.saturating_sub(*then) > WINDOW) {
            self.moments.pop_front();
        }
        self.moments.push_back((elapsed, moved));
        let rest = all.checked_sub(moved).filter(|rest| *rest > 0)?;
        let still = elapsed.saturating_sub(self.last.0);
        if still >= STILL {
            return Some(Outlook::Still(still));
        }
        let (then, before) = *self.moments.front()?;
        let time = elapsed.checked_sub(then).filter(|time| *time >= LEAST)?;
        let millis = u128::from(rest)
            .checked_mul(time.as_millis())?
            .checked_div(u128::from(moved.checked_sub(before)?))?;
        Some(Outlook::Left(Duration::from_secs(u64::try_from(millis / 1000).unwrap_or(u64::MAX))))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Outlook, Pace};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_rest_is_estimated_by_the_pace_of_the_last_seconds() {
        let mut pace = Pace::default();
        // An earlier run has moved 100 already.
        let mut outlook = |seconds: u32, moved: u64| pace.outlook(seconds * SECOND, moved, 400);
        assert_eq!([outlook(0, 100), outlook(1, 100), outlook(2, 110)], [None, None, None]);
        assert_eq!(outlook(4, 140), Some(Outlook::Left(26 * SECOND)));
        // The slow beginning is forgotten.
        assert_eq!([outlook(25, 200), outlook(30, 300)], [None, Some(Outlook::Left(5 * SECOND))]);
        assert_eq!(outlook(31, 400), None, "all has moved, and is being converted");
    }

    #[test]
    fn a_service_that_takes_nothing_is_told() {
        let mut pace = Pace::default();
        let mut outlook = |seconds: u32, moved: u64| pace.outlook(seconds * SECOND, moved, 400);
        assert_eq!(
            [outlook(0, 0), outlook(1, 200), outlook(4, 200)],
            [None, None, Some(Outlook::Left(4 * SECOND))]
        );
        assert_eq!(
            [outlook(6, 200), outlook(60, 200)],
            [5, 59].map(|seconds| Some(Outlook::Still(seconds * SECOND)))
        );
        assert_eq!(outlook(61, 399), None);
    }
}
