//! The meanings that a column of a table can have.

use serde::{Deserialize, Serialize};

use domain::planning::relation::RelationKind;

/// The meaning of a column. Columns of one meaning may repeat, each with one of several values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Column {
    /// The lasting id.
    Id,
    /// The key that people say.
    Key,
    /// Former keys, divided by commas.
    Alias,
    /// Title.
    Name,
    /// Description.
    Description,
    /// Type.
    Kind,
    /// Priority by name.
    Priority,
    /// State by name.
    Status,
    /// Group of the state. `Done`, `Completed`, `Closed` and `Canceled` close the issue.
    StatusCategory,
    /// Reason of closing. Any value closes the issue.
    Resolution,
    /// Name or address of an assignee.
    Assignee,
    /// Id of the assignee in the column before.
    AssigneeId,
    /// Name or address of the author.
    Reporter,
    /// Id of the author.
    ReporterId,
    /// Labels.
    Labels,
    /// Key or id of the parent. The first value counts.
    Parent,
    /// Keys or ids of related issues, divided by commas. `None` is a kind without counterpart.
    Relation {
        /// Kind.
        kind: Option<RelationKind>,
        /// True if the other issue is the one that blocks or duplicates.
        is_inward: bool,
    },
    /// Estimate in points.
    Estimate,
    /// First day.
    Start,
    /// Due day.
    Due,
    /// Time of creation.
    Created,
    /// Time of the last change.
    Updated,
    /// Time of closing. Any value closes the issue.
    Closed,
    /// Time of archiving. Any value closes the issue.
    Archived,
    /// Name of a sprint.
    Sprint,
    /// Number of the sprint whose name is empty.
    SprintNumber,
    /// First day of the row's sprint.
    SprintStart,
    /// Last day of the row's sprint.
    SprintEnd,
    /// `time;author;text`, or a text alone.
    Comment,
    /// `time;author;name;address`.
    Attachment,
    /// Sort key, compared bytewise.
    Rank,
    /// A field of the column's name. Values of several lines are texts in the tool's markup.
    Field,
    /// Nothing that an issue holds.
    Skip,
}

impl Column {
    /// True for columns of dates.
    pub(crate) fn is_date(&self) -> bool {
        matches!(
            self,
            Self::Start
                | Self::Due
                | Self::Created
                | Self::Updated
                | Self::Closed
                | Self::Archived
                | Self::SprintStart
                | Self::SprintEnd
        )
    }
}
