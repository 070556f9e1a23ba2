//! A moment of a transfer: as the text of a bar, as a plain line, and as an event for programs.

use std::time::Duration;

use serde_json::{Value, json};

use super::Direction;
use super::pace::Outlook;
use crate::output::{count, duration, size};

/// Longest silence of plain lines while nothing changes.
const SILENCE: Duration = Duration::from_secs(60);

/// The numbers of a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Files that are done.
    pub(super) done: u64,
    /// All files.
    pub(super) files: u64,
    /// Bytes that have moved.
    pub(super) moved: u64,
    /// All bytes.
    pub(super) bytes: u64,
    /// Files that the service converts.
    pub(super) converting: i64,
    /// How the transfer goes on, once that is known.
    pub(super) outlook: Option<Outlook>,
}

/// The plain lines of a run, which a log keeps: equal ones are left out.
#[derive(Debug, Default)]
pub(super) struct PlainLines {
    last: Option<(Moment, Duration)>,
}

impl PlainLines {
    /// True if a line is to be printed: its numbers have changed, or the last one was printed long ago.
    pub(super) fn is_due(&mut self, moment: &Moment, elapsed: Duration) -> bool {
        let is_due = self.last.as_ref().is_none_or(|(before, then)| {
            before.state() != moment.state() || elapsed.saturating_sub(*then) >= SILENCE
        });
        if is_due {
            self.last = Some((*moment, elapsed));
        }
        is_due
    }
}

impl Moment {
    /// The text beside the bar, in at most `room` columns: the parts that fit, the most important first.
    pub(super) fn message(&self, room: usize) -> String {
        let (done, files) = (count(self.done), count(self.files));
        let outlook = match self.outlook {
            Some(Outlook::Left(time)) => vec![format!("{} left", duration(time))],
            Some(Outlook::Still(time)) => {
                let time = duration(time);
                vec![format!("waiting for the service for {time}"), format!("waiting {time}")]
            }
            None => Vec::new(),
        };
        let converting = match self.converting {
            0 => Vec::new(),
            number => vec![format!("{number} converting")],
        };
        let parts = [vec![format!("{done}/{files} files"), format!("{done}/{files}")], outlook, converting];
        let mut message = String::new();
        for forms in parts {
            let gap = if message.is_empty() { "" } else { "   " };
            let left = room.saturating_sub(message.chars().count() + gap.len());
            if let Some(form) = forms.iter().find(|form| form.chars().count() <= left) {
                message.push_str(gap);
                message.push_str(form);
            }
        }
        message
    }

    /// A line for a file or a program.
    pub(super) fn line(&self) -> String {
        let (done, files) = (count(self.done), count(self.files));
        let (moved, bytes) = (size(self.moved), size(self.bytes));
        let (converting, outlook) = (self.converting_after(", "), self.outlook_after(", "));
        format!("{done}/{files} files, {moved} / {bytes}{converting}{outlook}")
    }

    /// An event for programs.
    pub(super) fn event(&self, direction: Direction) -> Value {
        let waiting = match self.outlook {
            Some(Outlook::Still(time)) => Some(time.as_secs()),
            Some(Outlook::Left(_)) | None => None,
        };
        let mut event = json!({
            "event": "progress", "sent": self.done, "total": self.files,
            "bytes": self.moved, "totalBytes": self.bytes, "waitingSecs": waiting,
        });
        if let (Direction::Up, Some(fields)) = (direction, event.as_object_mut()) {
            fields.insert("converting".to_owned(), self.converting.into());
        }
        event
    }

    /// The parts of a line that no clock changes.
    fn state(&self) -> (u64, u64, i64, bool) {
        let is_waiting = matches!(self.outlook, Some(Outlook::Still(_)));
        (self.done, self.moved, self.converting, is_waiting)
    }

    fn outlook_after(&self, separator: &str) -> String {
        match self.outlook {
            Some(Outlook::Left(time)) => format!("{separator}{} left", duration(time)),
            Some(Outlook::Still(time)) => {
                format!("{separator}waiting for the service for {}", duration(time))
            }
            None => String::new(),
        }
    }

    fn converting_after(&self, separator: &str) -> String {
        match self.converting {
            0 => String::new(),
            number => format!("{separator}{number} converting"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Direction, Moment, Outlook, PlainLines};

    const SECOND: Duration = Duration::from_secs(1);

    fn moment(outlook: Option<Outlook>) -> Moment {
        Moment { done: 1_204, files: 10_412, moved: 3_100_000, bytes: 9_000_000, converting: 0, outlook }
    }

    #[test]
    fn a_line_that_only_the_time_changes_is_printed_once_a_minute() {
        let mut lines = PlainLines::default();
        let waiting = |seconds: u32| moment(Some(Outlook::Still(seconds * SECOND)));
        assert!(lines.is_due(&moment(None), 5 * SECOND));
        assert!(!lines.is_due(&moment(Some(Outlook::Left(9 * SECOND))), 10 * SECOND));
        assert!(lines.is_due(&waiting(10), 15 * SECOND));
        assert_eq!((20..75).filter(|second| lines.is_due(&waiting(*second), *second * SECOND)).count(), 0);
        assert!(lines.is_due(&waiting(70), 75 * SECOND));
        assert!(lines.is_due(&Moment { done: 1_205, ..waiting(75) }, 80 * SECOND));
    }

    #[test]
    fn a_line_has_numbers_as_people_read_them() {
        let line = moment(Some(Outlook::Left(9 * SECOND))).line();
        assert_eq!(line, "1,204/10,412 files, 3.1 MB / 9.0 MB, 9 s left");
        let converting = Moment { converting: 2, ..moment(None) };
        assert_eq!(converting.message(80), "1,204/10,412 files   2 converting");
    }

    #[test]
    fn a_message_has_the_parts_that_fit() {
        let moment = Moment { converting: 2, ..moment(Some(Outlook::Still(12 * SECOND))) };
        for (room, shown) in [
            (80, "1,204/10,412 files   waiting for the service for 12 s   2 converting"),
            (54, "1,204/10,412 files   waiting for the service for 12 s"),
            (50, "1,204/10,412 files   waiting 12 s   2 converting"),
            (37, "1,204/10,412 files   waiting 12 s"),
            (20, "1,204/10,412 files"),
            (12, "1,204/10,412"),
            (3, ""),
        ] {
            assert_eq!(moment.message(room), shown, "{room}");
        }
    }

    #[test]
    fn an_event_tells_for_how_long_the_service_takes_nothing() {
        let event = moment(Some(Outlook::Still(12 * SECOND))).event(Direction::Up);
        assert_eq!((&event["waitingSecs"], &event["converting"]), (&12.into(), &0.into()));
        let event = moment(Some(Outlook::Left(SECOND))).event(Direction::Down);
        assert!(event["waitingSecs"].is_null() && event.get("converting").is_none(), "{event}");
    }
}
