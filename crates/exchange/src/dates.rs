//! Dates as tools write them: ISO 8601, Jira's `dd/MMM/yy h:mm a` in its languages, numbers in the order of either
//! continent, and the text of JavaScript's `Date`.

mod months;

use domain::time::{DateOrTime, Timestamp, Zone};
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

/// Longest text of a date, in bytes.
const DATE_MAX_BYTES: usize = 100;
/// Two digits below this are a year of this century, others one of the century before.
const CENTURY: i32 = 70;
const DAY_SECS: i64 = 86_400;

/// Reads the dates of one export.
#[derive(Clone, Debug)]
pub(crate) struct Dates {
    zone: Zone,
    is_month_first: bool,
    /// True if dates of numbers occur and none of them tells days from months.
    pub(crate) is_order_assumed: bool,
}

/// A date as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrittenDate {
    date: Date,
    time: Option<Time>,
    offset: Option<UtcOffset>,
}

/// The three parts of a date, in the order of writing.
enum DateParts<'a> {
    YearFirst([&'a str; 3]),
    Numbers([&'a str; 3]),
    /// Day, month by name or by its place, year.
    DayFirst([&'a str; 3]),
}

impl Dates {
    /// Finds the order of days and months by all dates of an export. Undecided, the day comes first.
    pub(crate) fn of<'a>(zone: Zone, values: impl Iterator<Item = &'a str>) -> Self {
        let (mut days, mut months, mut open) = (false, false, false);
        for value in values {
            let text = plain(value);
            let Some((DateParts::Numbers([first, second, _]), _)) = split(&text) else { continue };
            let over = |number: &str| number.parse::<u8>().is_ok_and(|number| number > 12);
            days |= over(first);
            months |= over(second);
            open |= !over(first) && !over(second) && first != second;
        }
        Self { zone, is_month_first: months && !days, is_order_assumed: open && days == months }
    }

    /// The date that a text is; `None` for other texts.
    pub(crate) fn parse(&self, text: &str) -> Option<WrittenDate> {
        if text.len() > DATE_MAX_BYTES {
            return None;
        }
        let text = plain(text);
        if let Some(date) = java_script(&text) {
            return Some(date);
        }
        let (parts, rest) = split(&text)?;
        let [day, month, year] = match parts {
            DateParts::YearFirst([year, month, day]) => [day, month, year],
            DateParts::Numbers([month, day, year]) if self.is_month_first => [day, month, year],
            DateParts::Numbers(parts) | DateParts::DayFirst(parts) => parts,
        };
        let date = calendar(year, month, day)?;
        if rest.is_empty() {
            return Some(WrittenDate { date, time: None, offset: None });
        }
        let (time, offset) = clock(rest)?;
        Some(WrittenDate { date, time: Some(time), offset })
    }

    /// A day or a moment. Midnight without an offset is a day: Jira writes its due days so.
    pub(crate) fn day(&self, text: &str) -> Option<DateOrTime> {
        let written = self.parse(text)?;
        let is_day = written.offset.is_none() && written.time.is_none_or(|time| time == Time::MIDNIGHT);
        if is_day { Some(DateOrTime::Date(written.date)) } else { self.at(written).map(DateOrTime::Time) }
    }

    /// A moment. A day is its beginning in the zone.
    pub(crate) fn moment(&self, text: &str) -> Option<Timestamp> {
        self.parse(text).and_then(|written| self.at(written))
    }

    fn at(&self, written: WrittenDate) -> Option<Timestamp> {
        let Some(time) = written.time else { return Some(self.zone.start_of(written.date)) };
        let local = PrimitiveDateTime::new(written.date, time);
        let moment = match written.offset {
            Some(offset) => Timestamp::from(OffsetDateTime::new_in_offset(written.date, time, offset)),
            None => in_zone(&self.zone, local),
        };
        (1..=9999).contains(&moment.0.year()).then_some(moment)
    }
}

/// The moment of a local time. One that a clock shows twice is the earlier; one that it skips is as much later as it
/// skips.
fn in_zone(zone: &Zone, local: PrimitiveDateTime) -> Timestamp {
    let utc = Timestamp::from(local.assume_utc());
    let (before, after) =
        (zone.offset_secs(utc.plus_seconds(-DAY_SECS)), zone.offset_secs(utc.plus_seconds(DAY_SECS)));
    let (earlier, later) = (utc.plus_seconds(-i64::from(before)), utc.plus_seconds(-i64::from(after)));
    if zone.offset_secs(earlier) != before && zone.offset_secs(later) == after { later } else { earlier }
}

/// In lower case, with plain spaces.
fn plain(text: &str) -> String {
    let spaced = text.trim().chars().map(|c| if c.is_whitespace() { ' ' } else { c });
    spaced.flat_map(char::to_lowercase).collect()
}

/// The parts of a date in front of a text, and the rest.
fn split(text: &str) -> Option<(DateParts<'_>, &str)> {
    let iso = text.split_once('t').filter(|(date, _)| date.len() == 10 && date.is_ascii());
    let (date, rest) = iso.or_else(|| text.split_once(' ')).unwrap_or((text, ""));
    let separator = ['/', '-', '.'].into_iter().find(|separator| date.contains(*separator))?;
    let mut parts = date.split(separator);
    let (Some(first), Some(second), Some(third), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let parts = [first, second, third];
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = if first.len() == 4 && is_number(first) {
        DateParts::YearFirst(parts)
    } else if is_number(second) && separator != '.' {
        DateParts::Numbers(parts)
    } else {
        DateParts::DayFirst(parts)
    };
    Some((parts, rest.trim()))
}

/// `tue mar 12 2024 08:31:33 gmt+0000 (…)`, as older exports of Linear have it.
fn java_script(text: &str) -> Option<WrittenDate> {
    let mut words = text.split(' ');
    let _weekday = words.next()?;
    let (month, day, year) = (words.next()?, words.next()?, words.next()?);
    let (time, offset) = (words.next()?, words.next()?.strip_prefix("gmt")?);
    let date = calendar(year, month, day)?;
    let (time, offset) = clock(&format!("{time}{offset}"))?;
    Some(WrittenDate { date, time: Some(time), offset })
}

fn calendar(year: &str, month: &str, day: &str) -> Option<Date> {
    let number: i32 = year.parse().ok()?;
    let year = match (year.len(), number) {
        (2, 0..CENTURY) => 2000 + number,
        (2, _) => 1900 + number,
        (4, 1..) => number,
        _ => return None,
    };
    let month = if month.len() <= 2 { month.parse().ok() } else { None }.or_else(|| months::month(month))?;
    Date::from_calendar_date(year, Month::try_from(month).ok()?, day.parse().ok()?).ok()
}

/// `15:04`, `15:04:05.123Z`, `3:04 p.m.`, `08:31:33+0000`.
fn clock(text: &str) -> Option<(Time, Option<UtcOffset>)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.').unwrap_or(text.len());
    let (clock, tail) = text.split_at_checked(end)?;
    let tail = tail.trim();
    let mut parts = clock.split(':');
    let (hour, minute): (u8, u8) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let seconds = parts.next().unwrap_or("0");
    if parts.next().is_some() {
        return None;
    }
    let (second, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
    let (offset, hour) = match tail {
        "" => (None, hour),
        "z" | "utc" | "gmt" => (Some(UtcOffset::UTC), hour),
        _ if tail.starts_with(['+', '-']) => (Some(offset(tail)?), hour),
        _ if hour <= 12 => (None, hour % 12 + if months::is_afternoon(tail)? { 12 } else { 0 }),
        _ => return None,
    };
    let time = Time::from_hms_milli(hour, minute, second.parse().ok()?, millis.parse().ok()?).ok()?;
    Some((time, offset))
}

/// `+02:00`, `-0530`, `+02`.
fn offset(text: &str) -> Option<UtcOffset> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits: String = text.chars().skip(1).filter(|c| *c != ':').collect();
    if !matches!(digits.len(), 2 | 4) || !digits.is_ascii() {
        return None;
    }
    let (hours, minutes) = digits.split_at_checked(2)?;
    let hours: i8 = hours.parse().ok()?;
    let minutes: i8 = if minutes.is_empty() { 0 } else { minutes.parse().ok()? };
    UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()
}

#[cfg(test)]
mod tests {
    use domain::time::Zone;

    use super::Dates;

    fn dates(zone: &str, values: &[&str]) -> Dates {
        Dates::of(zone.parse::<Zone>().unwrap(), values.iter().copied())
    }

    fn moment(zone: &str, text: &str) -> String {
        dates(zone, &[text]).moment(text).map_or("-".to_owned(), |time| time.to_string())
    }

    /// Month words and halves of the day as Java 17 writes `dd/MMM/yy h:mm a` with CLDR's data.
    const LOCALES: [(&str, &str, &str); 13] = [
        ("en-US", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "AM|PM"),
        ("en-GB", "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec", "am|pm"),
        ("en-CA", "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep. Oct. Nov. Dec.", "a.m.|p.m."),
        ("en-AU", "Jan Feb Mar Apr May June July Aug Sept Oct Nov Dec", "am|pm"),
        ("de-DE", "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.", "AM|PM"),
        ("fr-FR", "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", "AM|PM"),
        ("es-ES", "ene feb mar abr may jun jul ago sept oct nov dic", "a.\u{a0}m.|p.\u{a0}m."),
        ("es-MX", "ene. feb. mar. abr. may. jun. jul. ago. sep. oct. nov. dic.", "a.\u{a0}m.|p.\u{a0}m."),
        ("pl-PL", "sty lut mar kwi maj cze lip sie wrz paź lis gru", "AM|PM"),
        ("ja-JP", "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月", "午前|午後"),
        ("ko-KR", "1월 2월 3월 4월 5월 6월 7월 8월 9월 10월 11월 12월", "오전|오후"),
        ("sv-SE", "jan. feb. mars apr. maj juni juli aug. sep. okt. nov. dec.", "fm|em"),
        ("pt-PT", "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.", "da manhã|da tarde"),
    ];

    #[test]
    fn jiras_dates_are_read_in_every_month_and_language() {
        for (locale, months, halves) in LOCALES {
            let (morning, afternoon) = halves.split_once('|').unwrap();
            for (number, month) in (1..).zip(months.split(' ')) {
                for (half, hour) in [(morning, "03"), (afternoon, "15")] {
                    for space in [" ", "\u{202f}", "\u{a0}"] {
                        let text = format!("05/{month}/26 3:04{space}{half}");
                        let expected = format!("2026-{number:02}-05T{hour}:04:00.000Z");
                        assert_eq!(moment("UTC", &text), expected, "{locale} {text}");
                    }
                }
            }
        }
        assert_eq!(moment("UTC", "05/Sep/26 12:00 AM"), "2026-09-05T00:00:00.000Z");
        assert_eq!(moment("UTC", "05/Sep/26 12:30 PM"), "2026-09-05T12:30:00.000Z");
    }

    #[test]
    fn other_forms_are_read() {
        for (text, expected) in [
            ("2026-09-05", "2026-09-04T22:00:00.000Z"),
            ("2026-09-05 15:04", "2026-09-05T13:04:00.000Z"),
            ("2026-09-05T15:04:05.678Z", "2026-09-05T15:04:05.678Z"),
            ("2026-09-05T15:04:05.678+0200", "2026-09-05T13:04:05.678Z"),
            ("2026-09-05T15:04:05-03:30", "2026-09-05T18:34:05.000Z"),
            ("2026-09-05T15:04:05.1234567Z", "2026-09-05T15:04:05.123Z"),
            ("2026/9/5 8:00", "2026-09-05T06:00:00.000Z"),
            ("5.9.2026", "2026-09-04T22:00:00.000Z"),
            ("5-Sep-2026", "2026-09-04T22:00:00.000Z"),
            ("Thu Mar 10 2022 13:11:48 GMT+0000 (GMT)", "2022-03-10T13:11:48.000Z"),
            ("05/Sep/70", "1970-09-04T23:00:00.000Z"),
            ("", "-"),
            ("tomorrow", "-"),
            ("31/Feb/26", "-"),
            ("05/Xyz/26", "-"),
            ("05/Sep/26 13:04 PM", "-"),
            ("05/Sep/26 3:64 PM", "-"),
            ("05/Sep/26 3:04 XM", "-"),
            ("05/Sep/126", "-"),
            ("2026-09-05T15:04:05+99:00", "-"),
            ("0001-01-01T00:00:00+01:00", "-"),
            ("1/2/3/4", "-"),
        ] {
            assert_eq!(moment("Europe/Berlin", text), expected, "{text}");
        }
    }

    #[test]
    fn clocks_that_change_give_one_moment() {
        for (zone, text, expected) in [
            ("Europe/Berlin", "2026-03-29 02:30", "2026-03-29T01:30:00.000Z"),
            ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25T00:30:00.000Z"),
            ("America/New_York", "2026-11-01 01:30", "2026-11-01T05:30:00.000Z"),
            ("Africa/Cairo", "2026-04-24 00:30", "2026-04-23T22:30:00.000Z"),
            ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"),
            ("Pacific/Kiritimati", "2026-01-01 00:00", "2025-12-31T10:00:00.000Z"),
        ] {
            assert_eq!(moment(zone, text), expected, "{zone} {text}");
        }
    }

    #[test]
    fn all_dates_together_tell_days_from_months() {
        let read = |values: &[&str]| {
            let dates = dates("UTC", values);
            let day = dates.day(values[0]).map_or("-".to_owned(), |day| day.to_string());
            format!("{day} {}", dates.is_order_assumed)
        };
        assert_eq!(read(&["03/04/2026", "13/04/2026"]), "2026-04-03 false");
        assert_eq!(read(&["03/04/2026", "04/13/2026"]), "2026-03-04 false");
        assert_eq!(read(&["03/04/2026", "12/11/2026"]), "2026-04-03 true");
        assert_eq!(read(&["03/03/2026"]), "2026-03-03 false");
        // Contradictions leave the day first, and the others unread.
        assert_eq!(read(&["03/04/2026", "13/04/2026", "04/13/2026"]), "2026-04-03 true");
        assert_eq!(read(&["3.4.2026", "4/13/2026"]), "2026-04-03 false");
    }

    #[test]
    fn midnight_without_an_offset_is_a_day() {
        let dates = dates("Europe/Berlin", &[]);
        let day = |text| dates.day(text).map(|day| day.to_string());
        assert_eq!(day("05/Sep/26 12:00 AM").as_deref(), Some("2026-09-05"));
        assert_eq!(day("2026-09-05").as_deref(), Some("2026-09-05"));
        assert_eq!(day("05/Sep/26 5:00 PM").as_deref(), Some("2026-09-05T15:00:00.000Z"));
        assert_eq!(day("2026-09-05T00:00:00Z").as_deref(), Some("2026-09-05T00:00:00.000Z"));
    }
}
