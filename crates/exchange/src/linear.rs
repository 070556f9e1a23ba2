//! Linear's export of issues as CSV.

use domain::planning::import::ImportTool;
use domain::planning::relation::RelationKind;

use crate::export::Export;
use crate::settings::{ReadError, ReadOptions};
use crate::table::column::Column;
use crate::table::{self, Dialect};

/// Columns of every export.
const REQUIRED: [&str; 3] = ["ID", "Title", "Status"];

/// Reads an export. Texts are Markdown, with an apostrophe before signs of formulas.
///
/// # Errors
/// [`ReadError`] if the file has no header with Linear's columns, or is beyond a limit.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Export, ReadError> {
    let dialect = Dialect {
        tool: ImportTool::Linear,
        has_wiki_markup: false,
        is_guarded: true,
        label_separator: Some(", "),
    };
    table::read_tool(bytes, dialect, options, &REQUIRED, column)
}

/// The meaning of a column by its name.
fn column(name: &str) -> Column {
    let relation = |kind, is_inward| Column::Relation { kind: Some(kind), is_inward };
    match name {
        "ID" => Column::Key,
        "UUID" => Column::Id,
        "Previous Identifiers" | "previousIdentifiers" => Column::Alias,
        "Title" => Column::Name,
        "Description" => Column::Description,
        "Priority" => Column::Priority,
        "Status" => Column::Status,
        "Assignee" => Column::Assignee,
        "Creator" => Column::Reporter,
        "Labels" => Column::Labels,
        "Parent issue" => Column::Parent,
        "Blocks" => relation(RelationKind::Blocks, false),
        "Blocked by" => relation(RelationKind::Blocks, true),
        "Duplicate of" => relation(RelationKind::Duplicates, false),
        "Related to" => relation(RelationKind::Relates, false),
        "Estimate" => Column::Estimate,
        "Due Date" => Column::Due,
        "Created" => Column::Created,
        "Updated" => Column::Updated,
        "Completed" | "Canceled" => Column::Closed,
        "Archived" => Column::Archived,
        "Cycle Name" => Column::Sprint,
        "Cycle Number" => Column::SprintNumber,
        "Cycle Start" => Column::SprintStart,
        "Cycle End" => Column::SprintEnd,
        _ => Column::Field,
    }
}
