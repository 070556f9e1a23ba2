//! A CSV file as rows: byte order mark, `sep=;`, delimiter, header.

use csv::{ReaderBuilder, StringRecord};

use crate::decode;
use crate::settings::{COLUMNS_MAX, ReadError};

/// Delimiters that spreadsheets write, by the country of their user.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// A table in memory.
pub(super) struct Sheet {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// The name of the encoding, if the file doesn't declare it.
    pub(super) guessed_encoding: Option<&'static str>,
    /// Line of the last row, if a quotation mark of it is not closed.
    pub(super) open_quote_line: Option<u64>,
}

/// A row below the header.
pub(super) struct Row {
    /// Its first line, from 1. Cells may have several.
    pub(super) line: u64,
    pub(super) cells: StringRecord,
}

impl Sheet {
    /// # Errors
    /// [`ReadError::Empty`] without a header, [`ReadError::TooManyColumns`].
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let (text, guessed_encoding) = decode::text(bytes);
        let (declared, table) = declared_delimiter(&text);
        let delimiter = declared.unwrap_or_else(|| frequent_delimiter(table));
        // Rows may be shorter or longer than the header; spreadsheets cut empty cells.
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(table.as_bytes());
        let mut records = reader
            .records()
            .map_while(Result::ok)
            .filter(|record| record.iter().any(|cell| !cell.trim().is_empty()));
        let header = records.next().ok_or(ReadError::Empty)?;
        if header.len() > COLUMNS_MAX {
            return Err(ReadError::TooManyColumns);
        }
        let header = header.iter().map(|name| name.trim().to_owned()).collect();
        let mut lines = Lines { table, at: 0, line: 1 + u64::from(declared.is_some()) };
        let rows: Vec<Row> = records.map(|cells| Row { line: lines.of(&cells), cells }).collect();
        let is_quote_open = table.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
        let has_lines = |row: &&Row| row.cells.iter().any(|cell| cell.contains('\n'));
        let open_quote_line = rows.last().filter(|_| is_quote_open).filter(has_lines).map(|row| row.line);
        Ok(Self { header, rows, guessed_encoding, open_quote_line })
    }
}

/// Counts the lines of records. `csv` 1.4.0 tells a line too few after CR LF and after empty lines.
struct Lines<'a> {
    table: &'a str,
    /// Bytes that are counted.
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// The first line of a record that is behind those of the calls before.
    fn of(&mut self, record: &StringRecord) -> u64 {
        let start =
            record.position().and_then(|position| usize::try_from(position.byte()).ok()).unwrap_or(self.at);
        let rest = self.table.as_bytes().get(start..).unwrap_or_default();
        let start = start + rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let passed = self.table.as_bytes().get(self.at..start).unwrap_or_default();
        self.line +=
            (0..).zip(passed.iter().filter(|byte| **byte == b'\n')).last().map_or(0, |(count, _)| count + 1);
        self.at = self.at.max(start);
        self.line
    }
}

/// The delimiter of a first line `sep=;`, which Excel reads and writes, and the table behind it.
fn declared_delimiter(text: &str) -> (Option<u8>, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let declared = line.trim_end_matches('\r').trim_matches('"');
    let delimiter =
        declared.get(..4).filter(|sep| sep.eq_ignore_ascii_case("sep=")).and(declared.as_bytes().get(4..));
    match delimiter {
        Some([delimiter]) if delimiter.is_ascii() => (Some(*delimiter), rest),
        _ => (None, text),
    }
}

/// The delimiter that is most frequent outside of quotation marks in the first line.
fn frequent_delimiter(text: &str) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in text.trim_start().bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => break,
            _ if !is_quoted => {
                let found = DELIMITERS.iter().zip(&mut counts).find(|(delimiter, _)| **delimiter == byte);
                if let Some((_, count)) = found {
                    *count += 1;
                }
            }
            _ => {}
        }
    }
    let most = DELIMITERS.iter().zip(counts).rev().max_by_key(|(_, count)| *count);
    most.map_or(b',', |(delimiter, _)| *delimiter)
}

#[cfg(test)]
mod tests {
    use super::Sheet;

    fn read(bytes: &[u8]) -> String {
        let sheet = Sheet::read(bytes).unwrap();
        let rows = sheet
            .rows
            .iter()
            .map(|row| format!("{}:{}", row.line, row.cells.iter().collect::<Vec<_>>().join("|")));
        format!(
            "{} {} {:?}",
            sheet.header.join("|"),
            rows.collect::<Vec<_>>().join(" "),
            sheet.open_quote_line
        )
    }

    #[test]
    fn delimiters_marks_and_line_ends_are_found() {
        for (bytes, expected) in [
            (&b"a,b\n1,2\n"[..], "a|b 2:1|2 None"),
            (b"\xef\xbb\xbfa;b\r\n1;2,5\r\n", "a|b 2:1|2,5 None"),
            (b"a\tb\n1\t2", "a|b 2:1|2 None"),
            (b"\xef\xbb\xbfsep=;\r\na;b,c\r\n1;2\r\n", "a|b,c 3:1|2 None"),
            (b"\"sep=\t\"\na\tb\n1\t2\n", "a|b 3:1|2 None"),
            (b"\"a;,\",b;c\n1,2\n", "a;,|b;c 2:1|2 None"),
            (b"a,b\n\"1\n2\",3\n4,5,6\n\n7\n", "a|b 2:1\n2|3 4:4|5|6 6:7 None"),
            (b"a,b\n1,\"2\n3,4\n", "a|b 2:1|2\n3,4\n Some(2)"),
            (b"a,b\n1,5\" pipe\n", "a|b 2:1|5\" pipe None"),
        ] {
            assert_eq!(read(bytes), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_byte_order_mark_within_pieces_of_the_file_is_not_a_part_of_the_first_name() {
        assert!(Sheet::read(b"\xef\xbb\xbf").is_err() && Sheet::read(b" \n,,\n").is_err());
        assert_eq!(Sheet::read(b"\xef\xbb\xbfIssue key,b\n").unwrap().header, ["Issue key", "b"]);
    }
}
