//! Exports of other planning tools as neutral records, from which an import creates cards.
//!
//! Pure readers: bytes in, plain data out. Files are untrusted: counts and depths have limits; the size of a file is its
//! caller's to bound. Nothing is lost silently: each value that a card can't hold as it is has a
//! [`deviation::Deviation`]. Not here: ids of cards, people and projects, files behind attachments, and the database.

mod collect;
mod dates;
mod decode;
pub mod deviation;
mod draft;
pub mod export;
pub mod github;
pub mod jira;
pub mod linear;
pub mod markup;
pub mod ndjson;
pub mod plan;
pub mod settings;
pub mod table;
pub mod trello;

use domain::planning::import::ImportTool;

use crate::plan::Plan;
use crate::plan::own_fields::FieldColumns;
use crate::settings::{ReadError, ReadOptions};
use crate::table::Mapping;

/// Reads an export of a tool, and plans its import; `mapping` explains a table of no tool, and `fields`
/// have the values of their columns.
///
/// # Errors
/// [`ReadError`].
pub fn plan(
    tool: ImportTool,
    bytes: &[u8],
    mapping: &Mapping,
    fields: &FieldColumns,
    options: &ReadOptions,
) -> Result<Plan, ReadError> {
    let export = match tool {
        ImportTool::Jira => jira::read(bytes, options),
        ImportTool::Linear => linear::read(bytes, options),
        ImportTool::GitHub => github::read(bytes, options),
        ImportTool::Trello => trello::read(bytes, options),
        ImportTool::Csv => table::read(bytes, mapping, options),
        ImportTool::Ndjson => return ndjson::plan(bytes, options),
    };
    Ok(Plan::of(export?, &options.zone, fields))
}
