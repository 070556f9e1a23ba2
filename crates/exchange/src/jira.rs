//! Jira's "Export CSV (all fields)", of Jira Cloud and Data Center.

use domain::planning::import::ImportTool;
use domain::planning::relation::RelationKind;

use crate::export::Export;
use crate::settings::{ReadError, ReadOptions};
use crate::table::column::Column;
use crate::table::{self, Dialect};

/// Columns of every export. The summary tells one from a list of other things.
const REQUIRED: [&str; 2] = ["Summary", "Issue key"];
/// Columns that repeat what others say, or count it.
const SKIPPED: [&str; 8] = [
    "Parent summary",
    "Last Viewed",
    "Watchers Id",
    "Project description",
    "Project url",
    "Status Category Changed",
    "Work Ratio",
    "Custom field (Issue color)",
];

/// Reads an export. Texts are wiki markup; times are in the zone of the person who exported.
///
/// # Errors
/// [`ReadError`] if the file has no header with Jira's columns, or is beyond a limit.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Export, ReadError> {
    let dialect =
        Dialect { tool: ImportTool::Jira, has_wiki_markup: true, is_guarded: false, label_separator: None };
    table::read_tool(bytes, dialect, options, &REQUIRED, column)
}

/// The meaning of a column by its name.
fn column(name: &str) -> Column {
    if let Some(column) = relation(name) {
        return column;
    }
    match name {
        "Issue id" => Column::Id,
        "Issue key" => Column::Key,
        "Summary" => Column::Name,
        "Description" => Column::Description,
        "Issue Type" | "Work type" => Column::Kind,
        "Priority" => Column::Priority,
        "Status" => Column::Status,
        "Status Category" => Column::StatusCategory,
        "Resolution" => Column::Resolution,
        "Assignee" => Column::Assignee,
        "Assignee Id" => Column::AssigneeId,
        "Reporter" => Column::Reporter,
        "Reporter Id" => Column::ReporterId,
        "Labels" => Column::Labels,
        // An id in Jira Cloud. The epic's key comes from older projects.
        "Parent" | "Parent key" | "Parent id" | "Custom field (Epic Link)" | "Custom field (Parent Link)" => {
            Column::Parent
        }
        "Custom field (Story Points)" | "Custom field (Story point estimate)" => Column::Estimate,
        "Custom field (Start date)" => Column::Start,
        "Due date" | "Due Date" => Column::Due,
        "Created" => Column::Created,
        "Updated" => Column::Updated,
        "Resolved" => Column::Closed,
        "Sprint" | "Custom field (Sprint)" => Column::Sprint,
        "Comment" | "Comments" => Column::Comment,
        "Attachment" => Column::Attachment,
        "Custom field (Rank)" => Column::Rank,
        _ if SKIPPED.contains(&name) => Column::Skip,
        _ => Column::Field,
    }
}

/// `Outward issue link (Blocks)`: the row's issue blocks the named one.
fn relation(name: &str) -> Option<Column> {
    let (is_inward, rest) = match name.strip_prefix("Inward issue link (") {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix("Outward issue link (")?),
    };
    let kind = match rest.strip_suffix(')')? {
        "Blocks" | "Blocker" => Some(RelationKind::Blocks),
        "Duplicate" | "Duplicates" => Some(RelationKind::Duplicates),
        "Relates" => Some(RelationKind::Relates),
        _ => None,
    };
    Some(Column::Relation { kind, is_inward })
}
