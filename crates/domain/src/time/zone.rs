//! Time zones of the IANA database. The database is part of the program, so that a day is the same day on every machine.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use jiff::civil;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::{Date, Duration, OffsetDateTime};

use super::{Timestamp, in_utc};

static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A time zone by its IANA name, for example `Europe/Berlin`. Defaults to UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(TimeZone::UTC);

    /// Its IANA name.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// The offset from UTC at a moment, in seconds.
    pub fn offset_secs(&self, time: Timestamp) -> i32 {
        let found = jiff::Timestamp::from_second(time.unix_seconds()).ok();
        found.map_or(0, |time| self.0.to_offset(time).seconds())
    }

    /// The day that `time` falls on.
    pub fn day_of(&self, time: Timestamp) -> Date {
        let found = jiff::Timestamp::from_second(time.unix_seconds()).ok();
        let day = found.map(|time| self.0.to_datetime(time).date()).and_then(|day| {
            let month = u8::try_from(day.month()).ok()?.try_into().ok()?;
            Date::from_calendar_date(day.year().into(), month, u8::try_from(day.day()).ok()?).ok()
        });
        day.unwrap_or_else(|| time.0.date())
    }

    /// The first moment of a day. A day at the end of the years 1 to 9999 may be that of UTC.
    pub fn start_of(&self, day: Date) -> Timestamp {
        let civil = || {
            let month = i8::try_from(u8::from(day.month())).ok()?;
            civil::Date::new(i16::try_from(day.year()).ok()?, month, i8::try_from(day.day()).ok()?).ok()
        };
        let start = civil().and_then(|day| day.to_zoned(self.0.clone()).ok()).and_then(|start| {
            in_utc(OffsetDateTime::from_unix_timestamp(start.timestamp().as_second()).ok()?)
        });
        start.unwrap_or_else(|| Timestamp(day.midnight().assume_utc()))
    }

    /// The last moment of a day, in milliseconds: that before the next day.
    pub fn end_of(&self, day: Date) -> Timestamp {
        match day.next_day().map(|next| self.start_of(next)) {
            Some(next) => Timestamp(next.0.saturating_sub(Duration::MILLISECOND)),
            None => Timestamp(day.midnight().assume_utc() + Duration::milliseconds(86_399_999)),
        }
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::UTC
    }
}

/// The text is not the name of a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the name of an IANA time zone, for example `Europe/Berlin`")]
pub struct InvalidZone;

impl FromStr for Zone {
    type Err = InvalidZone;

    /// Reads a name in any case.
    fn from_str(text: &str) -> Result<Self, InvalidZone> {
        let zone = DATABASE.get(text).map_err(|_| InvalidZone)?;
        if zone.iana_name().is_some() { Ok(Self(zone)) } else { Err(InvalidZone) }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Zone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Zone {
    fn schema_name() -> Cow<'static, str> {
        "TimeZone".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "time-zone" })
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::Zone;

    #[test]
    fn days_begin_and_end_by_the_zone() {
        let whole = |zone: &str, day| {
            let zone: Zone = zone.parse().unwrap();
            format!("{} {}", zone.start_of(day), zone.end_of(day))
        };
        assert_eq!(whole("UTC", date!(2026 - 11 - 02)), "2026-11-02T00:00:00.000Z 2026-11-02T23:59:59.999Z");
        assert_eq!(
            whole("asia/tokyo", date!(2026 - 11 - 02)),
            "2026-11-01T15:00:00.000Z 2026-11-02T14:59:59.999Z"
        );
        // The day of the change has 25 hours.
        assert_eq!(
            whole("Europe/Berlin", date!(2026 - 10 - 25)),
            "2026-10-24T22:00:00.000Z 2026-10-25T22:59:59.999Z"
        );
        // Clocks skip midnight.
        assert_eq!(
            whole("Africa/Cairo", date!(2026 - 04 - 24)),
            "2026-04-23T22:00:00.000Z 2026-04-24T20:59:59.999Z"
        );
        for edge in [date!(0001 - 01 - 01), date!(9999 - 12 - 31)] {
            let zone: Zone = "Pacific/Kiritimati".parse().unwrap();
            assert!(zone.start_of(edge) < zone.end_of(edge), "{edge}");
        }
    }

    #[test]
    fn a_day_is_found_again_by_its_first_and_last_moment() {
        for name in ["UTC", "Pacific/Kiritimati", "America/St_Johns", "Pacific/Apia"] {
            let zone: Zone = name.parse().unwrap();
            let mut day = date!(2026 - 01 - 01);
            for _ in 0..400 {
                let moments = [zone.start_of(day), zone.end_of(day)];
                assert_eq!(moments.map(|time| zone.day_of(time)), [day, day], "{name}");
                day = day.next_day().unwrap();
            }
        }
    }

    #[test]
    fn names_are_those_of_the_iana_database() {
        assert_eq!("europe/berlin".parse::<Zone>().unwrap().name(), "Europe/Berlin");
        for refused in ["", "Berlin", "Etc/Unknown", "+02:00", "Europe/Berlin\0", "../etc/passwd"] {
            assert!(refused.parse::<Zone>().is_err(), "{refused}");
        }
    }
}
