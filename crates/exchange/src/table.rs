//! Tables of issues as CSV: Jira's, Linear's, and those that a caller explains. Columns are read by their places,
//! because their names repeat.

mod cells;
pub mod column;
mod issue;
mod sheet;

use self::column::Column;
use self::issue::RowReader;
use self::sheet::Sheet;
use domain::planning::import::ImportTool;

use crate::collect::Collector;
use crate::dates::Dates;
use crate::deviation::{DeviationReason, Place};
use crate::export::Export;
use crate::settings::{ReadError, ReadOptions};

/// The habits of the tool that wrote a table.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) tool: ImportTool,
    /// True for texts in wiki markup; others are Markdown.
    pub(crate) has_wiki_markup: bool,
    /// True for texts with an apostrophe before signs that spreadsheets take for formulas.
    pub(crate) is_guarded: bool,
    /// Text between the labels of one cell.
    pub(crate) label_separator: Option<&'static str>,
}

/// The meanings of a table's columns, as its caller says.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// Columns by name. Others become fields of their names.
    pub columns: Vec<(String, Column)>,
    /// True if texts have an apostrophe before signs of formulas, as in tables that Atelier or Linear wrote.
    pub is_guarded: bool,
}

/// Reads a table by a mapping. Descriptions and comments are Markdown; labels are divided by commas.
///
/// # Errors
/// [`ReadError`] if the file has no header, lacks a mapped column, or is beyond a limit.
pub fn read(bytes: &[u8], mapping: &Mapping, options: &ReadOptions) -> Result<Export, ReadError> {
    let is_guarded = mapping.is_guarded;
    let dialect =
        Dialect { tool: ImportTool::Csv, has_wiki_markup: false, is_guarded, label_separator: Some(",") };
    let sheet = Sheet::read(bytes)?;
    if let Some((missing, _)) = mapping.columns.iter().find(|(name, _)| !sheet.header.contains(name)) {
        return Err(ReadError::OtherFormat(format!("no column {missing}")));
    }
    let column = |name: &str| {
        let mapped = mapping.columns.iter().find(|(mapped, _)| mapped == name);
        mapped.map_or(Column::Field, |(_, column)| column.clone())
    };
    export(&sheet, dialect, options, column)
}

/// Reads a tool's table. It has all of the `required` columns.
pub(crate) fn read_tool(
    bytes: &[u8],
    dialect: Dialect,
    options: &ReadOptions,
    required: &[&str],
    column: impl Fn(&str) -> Column,
) -> Result<Export, ReadError> {
    let sheet = Sheet::read(bytes)?;
    if let Some(missing) = required.iter().find(|name| !sheet.header.iter().any(|found| found == *name)) {
        return Err(ReadError::OtherFormat(format!("no column {missing}")));
    }
    export(&sheet, dialect, options, column)
}

fn export(
    sheet: &Sheet,
    dialect: Dialect,
    options: &ReadOptions,
    column: impl Fn(&str) -> Column,
) -> Result<Export, ReadError> {
    if sheet.rows.len() > options.issues_max {
        return Err(ReadError::TooManyIssues(options.issues_max));
    }
    let columns: Vec<Column> = sheet.header.iter().map(|name| column(name)).collect();
    let mut collector = Collector::new(dialect.tool, options);
    if let Some(encoding) = sheet.guessed_encoding {
        collector.deviate(&Place::default(), "", encoding, DeviationReason::EncodingGuessed);
    }
    let dates = sheet.rows.iter().flat_map(|row| columns.iter().zip(row.cells.iter()));
    let dates = dates.filter_map(|(column, cell)| column.is_date().then_some(cell));
    let dates = Dates::of(options.zone.clone(), dates);
    if dates.is_order_assumed {
        collector.deviate(&Place::default(), "", "", DeviationReason::DayOrderAssumed);
    }
    let reader = RowReader { header: &sheet.header, columns: &columns, dialect, dates: &dates };
    // People first: texts may mention those of later rows.
    for row in &sheet.rows {
        reader.people(row, &mut collector);
    }
    let mut ranked = Vec::with_capacity(sheet.rows.len());
    for row in &sheet.rows {
        let (rank, draft) = reader.draft(row, &mut collector);
        ranked.push((rank, draft));
    }
    // Bytewise, as Jira compares its ranks; issues without one come last, in their order.
    ranked.sort_by(|(one, _), (other, _)| one.is_none().cmp(&other.is_none()).then_with(|| one.cmp(other)));
    for (_, draft) in ranked {
        collector.add(draft)?;
    }
    if let Some(line) = sheet.open_quote_line {
        let place = Place { line: Some(line), issue: None };
        collector.deviate(&place, "", "", DeviationReason::QuoteOpen);
    }
    Ok(collector.finish())
}
