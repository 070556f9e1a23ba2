//! The ways to print: lines of JSON, tables, sizes and times as people read them. No text of the service or of a file
//! reaches a terminal with control characters.

mod page;
mod visible;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use domain::time::Timestamp;
use serde::Serialize;

use crate::failure::CommandFailure;

pub(crate) use self::page::PagedLines;
pub(crate) use self::visible::visible;
use self::visible::{printable, visible_with_styles};
pub(crate) use crate::style::{dim, styled};

/// Space between the columns of a table.
const COLUMN_GAP: &str = "  ";
/// Columns of a terminal that a column of a table keeps.
const NARROWEST: usize = 8;
/// Columns of a terminal by which most names are told apart.
const READABLE: usize = 16;
/// Heading of ids. A part of an id is of no use, so that the column is whole or absent.
const ID: &str = "ID";
/// Headings of columns that people copy: these are narrowed last.
const COPIED: [&str; 3] = ["ID", "SESSION", "SLUG"];

/// The amount of messages that a user wants of a transfer. What failed, or was left alone, is always said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Loudness {
    /// Nothing but what didn't go well.
    Quiet,
    /// The course of the whole.
    #[default]
    Normal,
    /// Each file.
    Verbose,
}

impl Loudness {
    /// A message on the course of the whole.
    pub(crate) fn note(self, line: &str) {
        if self != Self::Quiet {
            note(line);
        }
    }

    /// A message on one file that went well.
    pub(crate) fn detail(self, line: &str) {
        if self == Self::Verbose {
            note(line);
        }
    }
}

/// Prints one line of JSON to standard output.
pub(crate) fn json(value: &impl Serialize) {
    if let Ok(text) = serde_json::to_string(value) {
        write(&format!("{}\n", visible::escaped(&text)));
    }
}

/// Prints the outcome of a command: with `json` the service's answer, else words on standard error.
pub(crate) fn outcome(answer: &impl Serialize, words: &str, is_json: bool) {
    if is_json { json(answer) } else { note(words) }
}

/// Prints a line to standard output.
pub(crate) fn print(line: &str) {
    write(&format!("{}\n", printable(line)));
}

/// Prints a part of a line to standard output.
pub(crate) fn part(text: &str) {
    write(&printable(text));
}

/// Writes bytes of others to standard output: to a file or a program as they are.
pub(crate) fn stream(bytes: &[u8]) {
    end_unless_read(|| try_stream(bytes));
}

/// As `stream`, for a command that has to clean up before the program ends by [`end_unread`].
pub(crate) fn try_stream(bytes: &[u8]) -> std::io::Result<()> {
    if std::io::stdout().is_terminal() {
        return try_write(&visible_with_styles(&String::from_utf8_lossy(bytes)));
    }
    let mut output = std::io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

/// Writes sequences of this program's own to standard output, which the terminal obeys.
pub(crate) fn raw(sequence: &[u8]) {
    end_unless_read(|| {
        let mut output = std::io::stdout().lock();
        output.write_all(sequence)?;
        output.flush()
    });
}

/// As `json`, for a command that has to clean up before the program ends by [`end_unread`].
pub(crate) fn try_json(value: &impl Serialize) -> std::io::Result<()> {
    let text = serde_json::to_string(value)?;
    try_write(&format!("{}\n", visible::escaped(&text)))
}

/// A message on standard error.
pub(crate) fn note(line: &str) {
    anstream::eprintln!("{}", printable(line));
}

fn write(text: &str) {
    end_unless_read(|| try_write(text));
}

fn try_write(text: &str) -> std::io::Result<()> {
    let mut output = anstream::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Ends the program if its output has no reader.
pub(crate) fn end_unless_read(write: impl FnOnce() -> std::io::Result<()>) {
    if let Err(error) = write() {
        end_unread(error);
    }
}

/// Ends the program, whose output can't be written: in silence if the reader has left, as `head` does.
pub(crate) fn end_unread(error: std::io::Error) -> ! {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    let failure = CommandFailure::io("write to standard output", &error);
    note(&failure.to_string());
    std::process::exit(failure.exit.code().into());
}

/// The beginning of a text, at most `width` characters with the `…` that stands for the rest.
pub(crate) fn cut(text: &str, width: usize) -> String {
    terminal::truncate_str(&visible(text), width, "…").into_owned()
}

/// A text filled up to `width` columns; wide characters take two.
pub(crate) fn padded(text: &str, width: usize) -> String {
    terminal::pad_str(&visible(text), width, terminal::Alignment::Left, None).into_owned()
}

/// A time to the minute, in UTC.
pub(crate) fn minute(time: Timestamp) -> String {
    time.to_string().chars().take(16).collect::<String>().replace('T', " ")
}

/// Tells the moment of what follows.
pub(crate) fn as_of(at: Timestamp) -> String {
    format!("as of {at}")
}

/// A day in UTC.
pub(crate) fn day(time: Timestamp) -> String {
    time.to_string().chars().take(10).collect()
}

/// The columns of the terminal; `COLUMNS` or 80 without one.
pub(crate) fn terminal_width() -> usize {
    let of_variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    let of_terminal = || terminal::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    of_terminal().or_else(of_variable).unwrap_or(80)
}

/// The name of a value that JSON writes as a text, as in `private`.
pub(crate) fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text.replace('_', " "),
        _ => String::new(),
    }
}

/// Prints a table, or a sentence on standard error in place of its rows.
pub(crate) fn print_table<const N: usize>(headings: [&str; N], rows: &[[String; N]], nothing: &str) {
    if rows.is_empty() {
        return note(nothing);
    }
    print(&table(headings, rows));
}

/// Rows below their headings, in columns as wide as their content; in a terminal, as wide as it at most.
pub(crate) fn table<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> String {
    let width = if std::io::stdout().is_terminal() { terminal_width() } else { usize::MAX };
    table_within(width, headings, rows)
}

fn table_within<const N: usize>(width: usize, headings: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = headings.map(terminal::measure_text_width);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(terminal::measure_text_width(&visible(cell)));
        }
    }
    let is_copied = |column: usize| headings.get(column).is_some_and(|heading| COPIED.contains(heading));
    let mut readable = widths;
    let mut left = width.saturating_sub(COLUMN_GAP.len() * N.saturating_sub(1));
    narrow(&mut readable, left, READABLE, |column| !is_copied(column));
    let has_ids = readable.iter().sum::<usize>() <= left;
    let is_shown = |column: usize| has_ids || headings.get(column) != Some(&ID);
    for (column, width) in widths.iter_mut().enumerate().filter(|(column, _)| !is_shown(*column)) {
        left += if column == 0 { 0 } else { COLUMN_GAP.len() };
        *width = 0;
    }
    narrow(&mut widths, left, NARROWEST, |column| !is_copied(column));
    narrow(&mut widths, left, NARROWEST, |_| true);
    let line = |cells: [&str; N]| {
        let shown = cells.iter().zip(widths).enumerate().filter(|(column, _)| is_shown(*column));
        let padded = shown.map(|(_, (cell, width))| padded(&cut(cell, width), width));
        padded.collect::<Vec<_>>().join(COLUMN_GAP).trim_end().to_owned()
    };
    let rows = rows.iter().map(|row| line(row.each_ref().map(String::as_str)));
    std::iter::once(line(headings)).chain(rows).collect::<Vec<_>>().join("\n")
}

/// Narrows the widest of the chosen columns until all fit into `width`, or these have `narrowest` columns.
fn narrow(widths: &mut [usize], width: usize, narrowest: usize, is_chosen: impl Fn(usize) -> bool) {
    while widths.iter().sum::<usize>() > width {
        let chosen = widths.iter_mut().enumerate().filter(|(column, _)| is_chosen(*column));
        let widest = chosen.map(|(_, width)| width).filter(|width| **width > narrowest).max();
        let Some(widest) = widest else { return };
        *widest -= 1;
    }
}

/// A number with commas between thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 file`, `2 files`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A size in decimal units, as in `3.1 GB`.
pub(crate) fn size(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB", "PB"];
    let mut tenths = u128::from(bytes) * 10;
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut shown = units.first().copied().unwrap_or_default();
    for unit in units {
        shown = unit;
        tenths /= 1000;
        if tenths < 10_000 {
            break;
        }
    }
    if tenths < 100 {
        format!("{}.{} {shown}", tenths / 10, tenths % 10)
    } else {
        format!("{} {shown}", tenths / 10)
    }
}

/// A duration, as in `21 s` or `3 min`.
pub(crate) fn duration(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ ..7200 => format!("{} min", seconds / 60),
        seconds @ ..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{count, duration, size, table, table_within};

    #[test]
    fn numbers_have_units() {
        let sizes = [0, 999, 1000, 3_100_000, 12_340_000, 999_999_999, 3_100_000_000].map(size);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "3.1 MB", "12 MB", "999 MB", "3.1 GB"]);
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        let times = [5, 119_000, 600_000, 86_400_000].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(times, ["5 ms", "119 s", "10 min", "24 h"]);
    }

    #[test]
    fn a_table_has_columns() {
        let rows = [["a".to_owned(), "long".to_owned()], ["bcd".to_owned(), String::new()]];
        assert_eq!(table(["X", "Y"], &rows), "X    Y\na    long\nbcd");
        let rows = [["齿轮".to_owned(), "b".to_owned()], ["gear".to_owned(), "c".to_owned()]];
        assert_eq!(table(["X", "Y"], &rows), "X     Y\n齿轮  b\ngear  c");
    }

    #[test]
    fn a_wide_table_is_cut_to_its_terminal() {
        let rows = [["a long name of a card".to_owned(), "0198c5f0-0000".to_owned()]];
        assert_eq!(
            table_within(32, ["CARD", "ID"], &rows),
            "CARD               ID\na long name of a…  0198c5f0-0000"
        );
        assert_eq!(
            table_within(27, ["CARD", "SLUG"], &rows),
            "CARD          SLUG\na long name…  0198c5f0-0000"
        );
        assert_eq!(table_within(20, ["CARD", "SLUG"], &rows), "CARD      SLUG\na long …  0198c5f0-…");
        assert_eq!(table_within(3, ["CARD", "SLUG"], &rows), "CARD      SLUG\na long …  0198c5f…");
    }

    #[test]
    fn a_narrow_terminal_shows_names_and_no_part_of_an_id() {
        let rows = [["a long name of a card".to_owned(), "0198c5f0-0000".to_owned()]];
        assert_eq!(table_within(30, ["CARD", "ID"], &rows), "CARD\na long name of a card");
        assert_eq!(table_within(12, ["CARD", "ID"], &rows), "CARD\na long name…");
    }
}
