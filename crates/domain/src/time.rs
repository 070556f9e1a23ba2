//! Points in time: UTC, milliseconds, RFC 3339. The one clock of the service is read here.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Duration, OffsetDateTime, UtcOffset};

/// A point in time in UTC, cut to milliseconds; written as RFC 3339 with exactly three digits
/// (contract, section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(pub OffsetDateTime);

impl Timestamp {
    /// The current time. Called where a request or a job begins; everything below takes it as an argument.
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn now() -> Self {
        Self::from(OffsetDateTime::now_utc())
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    pub fn unix_seconds(self) -> i64 {
        self.0.unix_timestamp()
    }

    /// The point that many seconds after 1970-01-01T00:00:00Z; `None` beyond the years that can be written.
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        OffsetDateTime::from_unix_timestamp(seconds).ok().map(Self)
    }

    /// This point plus `seconds` (which may be negative).
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(Duration::seconds(seconds)))
    }

    /// The point that an RFC 3339 text names.
    ///
    /// # Errors
    /// The text is not RFC 3339.
    pub fn parse(text: &str) -> Result<Self, time::error::Parse> {
        OffsetDateTime::parse(text, &Rfc3339).map(Self::from)
    }
}

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
    use super::Timestamp;

    #[test]
    fn a_timestamp_is_written_in_utc_with_three_digits() {
        let time = Timestamp::parse("2026-11-20T14:03:04.123456+02:00").unwrap();
        assert_eq!(time.to_string(), "2026-11-20T12:03:04.123Z");
        assert_eq!(Timestamp::parse("2026-11-20T12:03:04Z").unwrap().to_string(), "2026-11-20T12:03:04.000Z");
    }
}
