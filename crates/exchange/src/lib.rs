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
pub mod plan;
pub mod settings;
pub mod table;
pub mod trello;

use domain::planning::import::ImportTool;

use crate::export::Export;
use crate::settings::{ReadError, ReadOptions};
use crate::table::Mapping;

/// Reads an export of a tool; `mapping` explains a table of no tool.
///
/// # Errors
/// [`ReadError`].
pub fn read(
    tool: ImportTool,
    bytes: &[u8],
    mapping: &Mapping,
    options: &ReadOptions,
) -> Result<Export, ReadError> {
    match tool {
        ImportTool::Jira => jira::read(bytes, options),
        ImportTool::Linear => linear::read(bytes, options),
        ImportTool::GitHub => github::read(bytes, options),
        ImportTool::Trello => trello::read(bytes, options),
        ImportTool::Csv => table::read(bytes, mapping, options),
    }
}
