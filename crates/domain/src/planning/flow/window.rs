//! The days of a flow report.

use time::{Date, Duration};

use crate::time::{CalendarDay, Timestamp, Zone};
use crate::{Error, Result, Rule};

/// Most days of a report: three years.
pub const FLOW_MAX_DAYS: i64 = 1_100;
/// Days of a report without a first day.
const DEFAULT_DAYS: i64 = 90;

/// Days of a time zone, of which the last may not be over.
#[derive(Clone, Debug)]
pub struct FlowWindow {
    first: Date,
    last: Date,
    zone: Zone,
    now: Timestamp,
}

impl FlowWindow {
    /// The days from `from` to `to`: by default to today, and the 90 that end there. No day after today counts.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if `from` is after the last day, or there are more than [`FLOW_MAX_DAYS`].
    pub fn new(
        from: Option<CalendarDay>,
        to: Option<CalendarDay>,
        zone: Zone,
        now: Timestamp,
    ) -> Result<Self> {
        let today = zone.day_of(now);
        let last = to.map_or(today, |to| to.0.min(today));
        let first = from.map_or_else(|| days_before(last, DEFAULT_DAYS), |from| from.0);
        if first > last {
            return Err(Error::broken("from", Rule::NotAfter(last.to_string())));
        }
        let earliest = days_before(last, FLOW_MAX_DAYS);
        if first < earliest {
            let message = format!("must not be before {earliest}: a report has at most {FLOW_MAX_DAYS} days");
            return Err(Error::invalid("from", Rule::NotBefore(earliest.to_string()), message));
        }
        Ok(Self { first, last, zone, now })
    }

    /// The first day.
    pub fn first(&self) -> Date {
        self.first
    }

    /// The last day.
    pub fn last(&self) -> Date {
        self.last
    }

    /// The time zone of the days.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The moment of the report.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// True if the last day is today.
    pub fn reaches_now(&self) -> bool {
        self.last == self.zone.day_of(self.now)
    }

    /// The days, at least one.
    pub fn days(&self) -> Vec<Date> {
        let next = |day: &Date| day.next_day().filter(|next| *next <= self.last);
        std::iter::successors(Some(self.first), next).collect()
    }

    /// The first moment of each day, and at last that after the last day.
    pub fn bounds(&self) -> Vec<Timestamp> {
        let starts = self.days().into_iter().chain(self.last.next_day());
        starts.map(|day| self.zone.start_of(day)).collect()
    }
}

/// The first of `days` days that end with `last`, in the years that are written.
fn days_before(last: Date, days: i64) -> Date {
    let earliest = Date::from_ordinal_date(1, 1).unwrap_or(Date::MIN);
    last.saturating_sub(Duration::days(days - 1)).max(earliest)
}
