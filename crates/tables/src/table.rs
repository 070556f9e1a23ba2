//! Tables that people open as spreadsheets: CSV (RFC 4180) and workbooks (Office Open XML).

use std::borrow::Cow;

use csv::{Terminator, WriterBuilder};
use domain::time::Timestamp;
use domain::{Error, Result};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

/// Characters that start a formula in spreadsheets (OWASP, "CSV Injection").
const FORMULAS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
/// Most UTF-16 units of a cell of a workbook.
const CELL_MAX_UNITS: usize = 32_767;
/// Most cells of a workbook, which is held in memory until it is whole: some 300 bytes for each.
const WORKBOOK_MAX_CELLS: usize = 500_000;
/// Deepest indentation of a cell.
const INDENT_MAX: u8 = 15;

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A text.
    Text(String),
    /// A text with an indentation, which workbooks alone show.
    Indented(String, u8),
    /// A number.
    Number(f64),
    /// A truth value.
    Truth(bool),
}

/// A table with a name for each column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Name of the sheet: at most 31 characters, not `History`.
    pub name: &'static str,
    /// Names of the columns, with their widths in characters.
    pub columns: Vec<(String, u8)>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The table as CSV with a first row of names. Texts that would be formulas get an apostrophe in front; numbers stay
    /// numbers.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it can't be written.
    pub fn to_csv(&self) -> Result<Vec<u8>> {
        let names = self.columns.iter().map(|(name, _)| harmless(name).into_owned());
        let mut csv = csv([names])?;
        csv.append(&mut self.to_csv_rows()?);
        Ok(csv)
    }

    /// The rows alone, to follow those of another table with the same columns.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if they can't be written.
    pub fn to_csv_rows(&self) -> Result<Vec<u8>> {
        csv(self.rows.iter().map(|row| row.iter().map(|cell| cell.csv().into_owned())))
    }

    /// False for a table with more cells than a workbook takes.
    pub fn fits_workbook(&self) -> bool {
        self.rows.len().saturating_mul(self.columns.len()) <= WORKBOOK_MAX_CELLS
    }

    /// The table as a workbook with one sheet, whose first row has the names. `now` is its time of creation. Texts are
    /// no formulas there; longer ones than a cell takes are cut.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it can't be written.
    pub fn to_xlsx(&self, now: Timestamp) -> Result<Vec<u8>> {
        self.workbook(now).map_err(Error::internal)
    }

    fn workbook(&self, now: Timestamp) -> Result<Vec<u8>, XlsxError> {
        let mut workbook = Workbook::new();
        // Without a time, the library asks the clock.
        let created = ExcelDateTime::from_timestamp(now.0.unix_timestamp())?;
        workbook.set_properties(&DocProperties::new().set_creation_datetime(&created));
        let bold = Format::new().set_bold();
        let indents: Vec<Format> = (0..=INDENT_MAX).map(|indent| Format::new().set_indent(indent)).collect();
        let sheet = workbook.add_worksheet().set_name(self.name)?;
        sheet.set_freeze_panes(1, 0)?;
        for ((name, width), column) in self.columns.iter().zip(0..) {
            sheet.write_string_with_format(0, column, fitting(name), &bold)?;
            sheet.set_column_width(column, f64::from(*width))?;
        }
        for (cells, row) in self.rows.iter().zip(1..) {
            for (cell, column) in cells.iter().zip(0..) {
                cell.write(sheet, (row, column), &indents)?;
            }
        }
        workbook.save_to_buffer()
    }
}

impl Cell {
    /// A text, or an empty cell for none.
    pub fn text(text: Option<&str>) -> Self {
        text.map_or(Self::Empty, |text| Self::Text(text.to_owned()))
    }

    /// Writes the cell to its place in a sheet. `indents` has a format for each indentation.
    fn write(&self, sheet: &mut Worksheet, place: (u32, u16), indents: &[Format]) -> Result<(), XlsxError> {
        let (row, column) = place;
        match self {
            Self::Empty => Ok(()),
            Self::Text(text) => sheet.write_string(row, column, fitting(text)).map(drop),
            Self::Indented(text, level) => match indents.get(usize::from((*level).min(INDENT_MAX))) {
                Some(format) => sheet.write_string_with_format(row, column, fitting(text), format).map(drop),
                None => sheet.write_string(row, column, fitting(text)).map(drop),
            },
            Self::Number(number) => sheet.write_number(row, column, *number).map(drop),
            Self::Truth(truth) => sheet.write_boolean(row, column, *truth).map(drop),
        }
    }

    fn csv(&self) -> Cow<'_, str> {
        match self {
            Self::Empty => Cow::Borrowed(""),
            Self::Text(text) | Self::Indented(text, _) => harmless(text),
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Truth(truth) => Cow::Borrowed(if *truth { "true" } else { "false" }),
        }
    }
}

fn csv(records: impl IntoIterator<Item: IntoIterator<Item = String>>) -> Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    for record in records {
        writer.write_record(record).map_err(Error::internal)?;
    }
    writer.into_inner().map_err(|error| Error::internal(error.into_error()))
}

/// Prefixes a formula with an apostrophe, so that spreadsheets treat it as text.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(FORMULAS) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// A text as a cell of a workbook takes it: line breaks are LF, other control characters are left out, and what no cell
/// has room for is cut.
fn fitting(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut left = CELL_MAX_UNITS;
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .take_while(|c| {
            let fits = c.len_utf16() <= left;
            left = left.saturating_sub(c.len_utf16());
            fits
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use domain::time::Timestamp;
    use zip::ZipArchive;

    use super::{CELL_MAX_UNITS, Cell, Table, fitting};

    fn table() -> Table {
        let text = |text: &str| Cell::Text(text.to_owned());
        Table {
            name: "Parts",
            columns: vec![("name".to_owned(), 20), ("=sum".to_owned(), 8)],
            rows: vec![
                vec![text("=HYPERLINK(\"x\")"), Cell::Number(-12.5)],
                vec![text("-12V"), text("a,b\r\nc")],
                vec![Cell::Indented("+5V".to_owned(), 3), Cell::Empty],
                vec![text("@2x"), Cell::Truth(true)],
                vec![text("plain"), Cell::Number(4.0)],
            ],
        }
    }

    #[test]
    fn formulas_become_texts_and_numbers_stay_numbers() {
        let csv = String::from_utf8(table().to_csv().unwrap()).unwrap();
        insta::assert_snapshot!(csv.replace('\r', "␍"), @r#"
        name,'=sum␍
        "'=HYPERLINK(""x"")",-12.5␍
        '-12V,"a,b␍
        c"␍
        '+5V,␍
        '@2x,true␍
        plain,4␍
        "#);
    }

    #[test]
    fn a_workbook_has_the_texts_as_they_are() {
        let now = Timestamp::parse("2026-11-28T12:00:00Z").unwrap();
        let workbook = table().to_xlsx(now).unwrap();
        assert_eq!(workbook, table().to_xlsx(now).unwrap(), "bytes depend on the table and the time alone");
        let mut archive = ZipArchive::new(Cursor::new(workbook)).unwrap();
        let mut read = |name: &str| {
            let mut text = String::new();
            archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        let strings = read("xl/sharedStrings.xml");
        for text in ["=HYPERLINK(\"x\")", "-12V", "a,b\nc", "+5V", "@2x", "=sum"] {
            assert!(strings.contains(&format!(">{text}</t>")), "{text} {strings}");
        }
        let sheet = read("xl/worksheets/sheet1.xml");
        assert!(sheet.contains("<v>-12.5</v>") && !sheet.contains("<f>"), "{sheet}");
        assert!(read("xl/workbook.xml").contains("name=\"Parts\""));
    }

    #[test]
    fn a_workbook_has_at_most_half_a_million_cells() {
        let of = |rows: usize| Table { rows: vec![Vec::new(); rows], ..table() };
        assert!(of(250_000).fits_workbook() && !of(250_001).fits_workbook());
    }

    #[test]
    fn a_cell_holds_what_it_has_room_for() {
        assert_eq!(fitting("a\r\nb\rc\u{1}\td"), "a\nb\nc\td");
        let long = "😀".repeat(CELL_MAX_UNITS);
        assert_eq!(fitting(&long).encode_utf16().count(), CELL_MAX_UNITS - 1);
        assert_eq!(fitting(&"x".repeat(40_000)).len(), CELL_MAX_UNITS);
    }
}
