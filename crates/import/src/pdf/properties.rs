//! Properties of a document, for example title, author and dates, from its information dictionary or its XMP.

use hayro::hayro_syntax::object::DateTime;
use hayro::hayro_syntax::{Pdf, PdfVersion};
use serde_json::{Map, Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

use super::{string, xmp};

/// The non-empty properties of a document.
pub(super) fn of(pdf: &Pdf) -> Map<String, Value> {
    let metadata = pdf.metadata();
    let mut properties = Map::new();
    properties.insert("version".to_owned(), json!(version(pdf.version())));
    for (key, written) in [
        ("title", &metadata.title),
        ("author", &metadata.author),
        ("subject", &metadata.subject),
        ("keywords", &metadata.keywords),
        ("creator", &metadata.creator),
        ("producer", &metadata.producer),
    ] {
        let text = written.as_deref().and_then(string::decode);
        properties.extend(text.map(|text| (key.to_owned(), Value::String(text))));
    }
    for (key, written) in [("created", metadata.creation_date), ("modified", metadata.modification_date)] {
        let date = written.and_then(date).and_then(|date| date.format(&Rfc3339).ok());
        properties.extend(date.map(|date| (key.to_owned(), Value::String(date))));
    }
    for (key, text) in xmp::of(pdf) {
        properties.entry(key).or_insert(Value::String(text));
    }
    properties
}

/// A valid calendar date.
fn date(written: DateTime) -> Option<OffsetDateTime> {
    let DateTime { year, month, day, hour, minute, second, utc_offset_hour, utc_offset_minute } = written;
    let date = Date::from_calendar_date(i32::from(year), Month::try_from(month).ok()?, day).ok()?;
    let time = Time::from_hms(hour, minute, second).ok()?;
    let minutes = i8::try_from(utc_offset_minute).ok()?;
    let minutes = if utc_offset_hour < 0 { -minutes } else { minutes };
    let offset = UtcOffset::from_hms(utc_offset_hour, minutes, 0).ok()?;
    Some(PrimitiveDateTime::new(date, time).assume_offset(offset))
}

fn version(version: PdfVersion) -> &'static str {
    match version {
        PdfVersion::Pdf10 => "1.0",
        PdfVersion::Pdf11 => "1.1",
        PdfVersion::Pdf12 => "1.2",
        PdfVersion::Pdf13 => "1.3",
        PdfVersion::Pdf14 => "1.4",
        PdfVersion::Pdf15 => "1.5",
        PdfVersion::Pdf16 => "1.6",
        PdfVersion::Pdf17 => "1.7",
        PdfVersion::Pdf20 => "2.0",
    }
}
