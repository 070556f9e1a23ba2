//! Calendars as files of RFC 5545: entries of whole days or of moments in UTC.
//!
//! Not here: time zones, repetitions, alarms, attendees. Days and moments need no `TZID`, which programs read in many
//! ways.

use time::Date;
use time::macros::format_description;
use uuid::Uuid;

use crate::time::Timestamp;

/// Longest line in bytes, without its end.
const LINE_MAX_BYTES: usize = 75;
/// The time after which programs fetch a calendar again, as a duration of ISO 8601.
const REFRESH: &str = "PT1H";
/// A component for calendars without entries: each calendar has one, and this one says nothing.
const NO_ENTRY: [(&str, &str); 9] = [
    ("BEGIN", "VTIMEZONE"),
    ("TZID", "Etc/UTC"),
    ("BEGIN", "STANDARD"),
    ("DTSTART", "19700101T000000"),
    ("TZOFFSETFROM", "+0000"),
    ("TZOFFSETTO", "+0000"),
    ("TZNAME", "UTC"),
    ("END", "STANDARD"),
    ("END", "VTIMEZONE"),
];

/// An entry of a calendar. It blocks no time.
#[derive(Clone, Debug)]
pub struct CalendarEntry {
    /// Its id in every calendar that has it.
    pub uid: Uuid,
    /// The time of the last change that is known.
    pub stamp: Timestamp,
    /// The time of the last change, if every change has one.
    pub modified: Option<Timestamp>,
    /// Its days, or its moment.
    pub time: EntryTime,
    /// Title.
    pub summary: String,
    /// Text.
    pub description: String,
    /// The address of its page.
    pub url: String,
}

/// The time of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryTime {
    /// Whole days, the same for everybody.
    Days {
        /// The first day.
        first: Date,
        /// The last day.
        last: Date,
    },
    /// A moment, which programs show in their own zone.
    Moment(Timestamp),
}

/// Writes a calendar.
#[derive(Clone, Debug)]
pub struct IcalendarWriter {
    text: String,
    has_entries: bool,
}

impl IcalendarWriter {
    /// A calendar of this name. Old programs read the names that begin with `X-`.
    pub fn begin(name: &str) -> Self {
        let mut writer = Self { text: String::new(), has_entries: false };
        writer.line("BEGIN", "VCALENDAR");
        writer.line("VERSION", "2.0");
        writer.line("PRODID", "-//Atelier//Calendar feed//EN");
        writer.line("CALSCALE", "GREGORIAN");
        writer.text_line("NAME", name);
        writer.text_line("X-WR-CALNAME", name);
        writer.line("REFRESH-INTERVAL;VALUE=DURATION", REFRESH);
        writer.line("X-PUBLISHED-TTL", REFRESH);
        writer
    }

    /// Adds an entry.
    pub fn add(&mut self, entry: &CalendarEntry) {
        self.has_entries = true;
        self.line("BEGIN", "VEVENT");
        self.line("UID", &entry.uid.to_string());
        self.line("DTSTAMP", &moment(entry.stamp));
        if let Some(modified) = entry.modified {
            self.line("LAST-MODIFIED", &moment(modified));
        }
        match entry.time {
            EntryTime::Days { first, last } => {
                self.line("DTSTART;VALUE=DATE", &day(first));
                // The end is the first day that doesn't count. The last day of all has none, and counts alone.
                if let Some(end) = last.next_day().filter(|end| end.year() <= 9999) {
                    self.line("DTEND;VALUE=DATE", &day(end));
                }
            }
            EntryTime::Moment(time) => self.line("DTSTART", &moment(time)),
        }
        self.text_line("SUMMARY", &entry.summary);
        self.text_line("DESCRIPTION", &entry.description);
        // An address is no text: its characters are not escaped.
        self.line("URL", &entry.url);
        self.line("TRANSP", "TRANSPARENT");
        self.line("END", "VEVENT");
    }

    /// The file.
    #[must_use]
    pub fn end(mut self) -> String {
        if !self.has_entries {
            NO_ENTRY.iter().for_each(|(name, value)| self.line(name, value));
        }
        self.line("END", "VCALENDAR");
        self.text
    }

    /// Writes a property whose value is a text.
    fn text_line(&mut self, name: &str, value: &str) {
        self.line(name, &escaped(value));
    }

    /// Writes a line in pieces of at most [`LINE_MAX_BYTES`], each but the first behind a blank. No character is cut.
    fn line(&mut self, name: &str, value: &str) {
        let mut room = LINE_MAX_BYTES;
        for character in name.chars().chain([':']).chain(value.chars()) {
            let bytes = character.len_utf8();
            if bytes > room {
                self.text.push_str("\r\n ");
                room = LINE_MAX_BYTES - 1;
            }
            self.text.push(character);
            room -= bytes;
        }
        self.text.push_str("\r\n");
    }
}

/// A text as a value. Each kind of line end becomes `\n`, also those of Unicode, at which readers in Python cut lines.
/// Other control characters are left out.
fn escaped(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' | ';' | ',' => value.extend(['\\', character]),
            '\r' => {
                characters.next_if_eq(&'\n');
                value.push_str("\\n");
            }
            '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => value.push_str("\\n"),
            '\t' => value.push('\t'),
            _ if character.is_control() => {}
            _ => value.push(character),
        }
    }
    value
}

/// A day, as in `20261224`.
fn day(day: Date) -> String {
    day.format(format_description!("[year][month][day]")).unwrap_or_default()
}

/// A moment in UTC, as in `20261224T153000Z`.
fn moment(time: Timestamp) -> String {
    let format = format_description!("[year][month][day]T[hour][minute][second]Z");
    time.0.format(format).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{IcalendarWriter, LINE_MAX_BYTES, escaped};

    /// The lines of a file as a reader unfolds them.
    fn unfolded(file: &str) -> Vec<String> {
        let text = file.replace("\r\n ", "");
        text.split_terminator("\r\n").map(str::to_owned).collect()
    }

    /// A value as a reader takes it.
    fn unescaped(value: &str) -> String {
        let mut text = String::new();
        let mut characters = value.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => text.push(match characters.next().unwrap() {
                    'n' => '\n',
                    escaped => escaped,
                }),
                character => text.push(character),
            }
        }
        text
    }

    #[test]
    fn a_calendar_has_a_component_though_it_has_no_entry() {
        let file = IcalendarWriter::begin("Work; and, more").end();
        let lines = unfolded(&file);
        assert_eq!(lines[4], r"NAME:Work\; and\, more");
        assert_eq!((lines[8].as_str(), lines.last().unwrap().as_str()), ("BEGIN:VTIMEZONE", "END:VCALENDAR"));
    }

    #[test]
    fn line_ends_of_every_kind_are_written_as_one_and_control_characters_not_at_all() {
        let text = "a\r\nb\rc\nd\u{2028}e\u{2029}f\u{85}g\u{7}\u{b}\u{1c}\0h\ti\u{7f}";
        assert_eq!(escaped(text), "a\\nb\\nc\\nd\\ne\\nf\\ngh\ti");
        assert_eq!(escaped(r"C:\new; x, y"), r"C:\\new\; x\, y");
    }

    proptest! {
        #[test]
        fn a_folded_text_is_found_again_and_no_line_is_too_long(text in "(\\PC|[\u{1F6E0}\u{FE0F}é,;\\\\ ]){0,300}") {
            let mut writer = IcalendarWriter::begin("Work");
            writer.text_line("SUMMARY", &text);
            let file = writer.end();
            for line in file.split_terminator("\r\n") {
                prop_assert!(line.len() <= LINE_MAX_BYTES, "{}", line);
                prop_assert!(!line.contains(['\r', '\n']), "{:?}", line);
            }
            let lines = unfolded(&file);
            let written = lines.iter().find_map(|line| line.strip_prefix("SUMMARY:")).unwrap();
            // Separators of lines and paragraphs are ends of lines.
            let expected = text.replace(['\u{2028}', '\u{2029}'], "\n");
            prop_assert_eq!(unescaped(written), expected);
        }
    }
}
