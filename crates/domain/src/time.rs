//! Points in time: UTC, milliseconds, RFC 3339; days; and the clock, the one way to read the time.

mod zone;

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::format_description::well_known::{Iso8601, Rfc3339};
use time::macros::{format_description, time};
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

pub use zone::{InvalidZone, Zone};

/// The clock of a process. A request, a job or a periodic task reads it once; everything below takes `now` as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    ahead_secs: i64,
}

impl Clock {
    /// The system's clock.
    pub const fn system() -> Self {
        Self::ahead_by(0)
    }

    /// The system's clock plus `seconds` (which may be negative), for tests of expiry.
    pub const fn ahead_by(seconds: i64) -> Self {
        Self { ahead_secs: seconds }
    }

    /// The current time.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the time")]
    pub fn now(self) -> Timestamp {
        Timestamp::from(OffsetDateTime::now_utc()).plus_seconds(self.ahead_secs)
    }
}

/// The years that RFC 3339 writes and PostgreSQL reads.
const YEARS: RangeInclusive<i32> = 1..=9999;

/// A point in time in UTC with milliseconds, written as RFC 3339 with exactly three decimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(pub OffsetDateTime);

impl Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub fn unix_seconds(self) -> i64 {
        self.0.unix_timestamp()
    }

    /// The point `seconds` after 1970-01-01T00:00:00Z; `None` outside of the years 1 to 9999.
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        OffsetDateTime::from_unix_timestamp(seconds).ok().and_then(in_utc)
    }

    /// Adds `seconds`, which may be negative.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(Duration::seconds(seconds)))
    }

    /// Reads RFC 3339.
    ///
    /// # Errors
    /// The text is not RFC 3339, or its year in UTC is not 1 to 9999.
    pub fn parse(text: &str) -> Result<Self, InvalidTimestamp> {
        let time = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| InvalidTimestamp)?;
        in_utc(time).ok_or(InvalidTimestamp)
    }
}

/// A day of the calendar, written as `2027-02-28`: the same for everybody, in no time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CalendarDay(pub Date);

impl FromStr for CalendarDay {
    type Err = InvalidDay;

    fn from_str(text: &str) -> Result<Self, InvalidDay> {
        parse_date(text).map(Self).map_err(|_| InvalidDay)
    }
}

impl fmt::Display for CalendarDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for CalendarDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CalendarDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for CalendarDay {
    fn schema_name() -> Cow<'static, str> {
        "CalendarDay".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date" })
    }
}

/// A day or a point in time, in ISO 8601. A day is one of UTC except where a time zone is named. A time without an offset is
/// in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrTime {
    /// A whole day.
    Date(Date),
    /// A point in time.
    Time(Timestamp),
}

impl DateOrTime {
    /// The point itself, or the first moment of the day in UTC.
    pub fn start(self) -> Timestamp {
        self.start_in(&Zone::UTC)
    }

    /// The point itself, or the last moment of the day in UTC: 23:59:59.999.
    pub fn end(self) -> Timestamp {
        self.end_in(&Zone::UTC)
    }

    /// The point itself, or the first moment of the day in `zone`.
    pub fn start_in(self, zone: &Zone) -> Timestamp {
        match self {
            Self::Date(date) => zone.start_of(date),
            Self::Time(time) => time,
        }
    }

    /// The point itself, or the last moment of the day in `zone`.
    pub fn end_in(self, zone: &Zone) -> Timestamp {
        match self {
            Self::Date(date) => zone.end_of(date),
            Self::Time(time) => time,
        }
    }
}

impl FromStr for DateOrTime {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let Some((date, _)) = text.split_once('T') else {
            return parse_date(text).map(Self::Date);
        };
        parse_date(date)?;
        let local = || PrimitiveDateTime::parse(text, &Iso8601::DEFAULT).map(PrimitiveDateTime::assume_utc);
        let time = OffsetDateTime::parse(text, &Iso8601::DEFAULT).or_else(|_| local());
        time.ok().and_then(in_utc).map(Self::Time).ok_or(InvalidDate)
    }
}

/// Converts to UTC, if the year there is 1 to 9999.
fn in_utc(time: OffsetDateTime) -> Option<Timestamp> {
    time.checked_to_offset(UtcOffset::UTC).filter(|utc| YEARS.contains(&utc.year())).map(Timestamp::from)
}

fn parse_date(text: &str) -> Result<Date, InvalidDate> {
    if text.bytes().any(|byte| !byte.is_ascii_digit() && byte != b'-') {
        return Err(InvalidDate);
    }
    let date = Date::parse(text, format_description!("[year]-[month]-[day]")).map_err(|_| InvalidDate)?;
    if YEARS.contains(&date.year()) { Ok(date) } else { Err(InvalidDate) }
}

impl fmt::Display for DateOrTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Date(date) => write!(f, "{date}"),
            Self::Time(time) => write!(f, "{time}"),
        }
    }
}

impl Serialize for DateOrTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DateOrTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for DateOrTime {
    fn schema_name() -> Cow<'static, str> {
        "DateOrTime".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-or-time", "pattern": r"^\d{4}-\d{2}-\d{2}(?:T.*)?$" })
    }
}

/// A due time. It is read from a point in time, or from a day, which it holds as the day's last moment in UTC: a time at
/// 23:59:59.999 UTC is a day, and the same day for everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Deadline(pub Timestamp);

impl Deadline {
    /// The last moment of a day.
    const END_OF_DAY: Time = time!(23:59:59.999);

    /// The day that it is; `None` for another point in time.
    pub fn day(self) -> Option<Date> {
        let Self(Timestamp(due)) = self;
        (due.time() == Self::END_OF_DAY).then(|| due.date())
    }
}

impl From<DateOrTime> for Deadline {
    fn from(due: DateOrTime) -> Self {
        Self(due.end())
    }
}

impl<'de> Deserialize<'de> for Deadline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DateOrTime::deserialize(deserializer).map(Self::from)
    }
}

impl JsonSchema for Deadline {
    fn schema_name() -> Cow<'static, str> {
        "Deadline".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        if generator.contract().is_serialize() {
            return Timestamp::json_schema(generator);
        }
        DateOrTime::json_schema(generator)
    }
}

/// The text is not a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an RFC 3339 date-time")]
pub struct InvalidTimestamp;

/// The text is not a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an ISO 8601 date")]
pub struct InvalidDay;

/// The text is neither a date nor a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an ISO 8601 date or date-time")]
pub struct InvalidDate;

impl From<OffsetDateTime> for Timestamp {
    fn from(time: OffsetDateTime) -> Self {
        let utc = time.to_offset(UtcOffset::UTC);
        Self(utc.replace_millisecond(utc.millisecond()).unwrap_or(utc))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format =
            format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
        f.write_str(&self.0.format(format).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn schema_id() -> Cow<'static, str> {
        "domain::Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, DateOrTime, Timestamp};

    #[test]
    fn a_clock_reads_as_far_ahead_as_it_is_set() {
        let now = Clock::system().now();
        assert!(Clock::ahead_by(3_600).now() >= now.plus_seconds(3_600));
        assert!(Clock::ahead_by(-3_600).now() < now);
    }

    #[test]
    fn a_timestamp_is_written_in_utc_with_three_digits() {
        let time = Timestamp::parse("2026-11-20T14:03:04.123456+02:00").unwrap();
        assert_eq!(time.to_string(), "2026-11-20T12:03:04.123Z");
        assert_eq!(Timestamp::parse("2026-11-20T12:03:04Z").unwrap().to_string(), "2026-11-20T12:03:04.000Z");
    }

    #[test]
    fn points_outside_of_the_years_1_to_9999_are_refused() {
        assert!(Timestamp::parse("9999-12-31T23:59:59-01:00").is_err());
        assert!(Timestamp::parse("0000-12-31T23:59:59Z").is_err());
        assert!(Timestamp::parse("0001-01-01T00:00:00+01:00").is_err());
        assert!(Timestamp::parse("0001-01-01T00:00:00Z").is_ok());
        assert!(Timestamp::parse("9999-12-31T23:59:59Z").is_ok());
    }

    #[test]
    fn a_date_is_a_whole_day_in_utc() {
        let read = |text: &str| {
            let read: DateOrTime = text.parse().unwrap();
            format!("{} {}", read.start(), read.end())
        };
        assert_eq!(read("2027-02-28"), "2027-02-28T00:00:00.000Z 2027-02-28T23:59:59.999Z");
        for text in ["2027-02-28T10:30:00+02:00", "2027-02-28T08:30Z", "2027-02-28T08:30:00"] {
            assert_eq!(read(text), "2027-02-28T08:30:00.000Z 2027-02-28T08:30:00.000Z", "{text}");
        }
        for refused in [
            "",
            "2027",
            "2027-02-29",
            "2027-2-28",
            "27-02-28",
            "+2027-02-28",
            "2027-02-28 08:30",
            "2027-02-28T",
            "2027-02-28t08:30Z",
            "2027-02-28T25:00Z",
            "2027-02-28Tx",
            "9999-12-31T23:59:59-01:00",
            "-001-02-28",
            "-0001-02-28",
            "0000-02-28",
            "-0001-02-28T10:00:00Z",
            "0001-01-01T00:00:00+01:00",
        ] {
            assert!(refused.parse::<DateOrTime>().is_err(), "{refused}");
        }
    }
}
