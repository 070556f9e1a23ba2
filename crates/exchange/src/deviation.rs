//! Deviations of cards from their issues. Nothing that an export holds is lost or changed without one.

use domain::text;
use serde::Serialize;

/// Longest value that a deviation repeats, in characters.
pub(crate) const VALUE_MAX_CHARS: usize = 200;

/// A value that an issue doesn't hold as the source has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deviation {
    /// Line of the file at which the issue begins, in tables and NDJSON.
    pub line: Option<u64>,
    /// Key of the issue; `None` for the export as a whole.
    pub issue: Option<String>,
    /// The source's field or column.
    pub field: String,
    /// The beginning of the value.
    pub value: String,
    /// Cause and rule.
    pub reason: DeviationReason,
}

/// The place in an export that a deviation is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) line: Option<u64>,
    pub(crate) issue: Option<String>,
}

/// The beginning of a text. PostgreSQL can't store NUL.
fn shown(text: &str) -> String {
    text::cut(text, VALUE_MAX_CHARS).replace('\0', "␀")
}

impl Place {
    pub(crate) fn deviation(&self, field: &str, value: &str, reason: DeviationReason) -> Deviation {
        Deviation {
            line: self.line,
            issue: self.issue.as_deref().map(shown),
            field: shown(field),
            value: shown(value),
            reason,
        }
    }
}

/// Declares the reasons, each with its sentence.
macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $reason:ident = $sentence:literal,)+) => {
        /// The cause of a deviation, and the rule that was applied.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, thiserror::Error)]
        #[serde(rename_all = "camelCase")]
        pub enum DeviationReason {
            $($(#[doc = $doc])+ #[error($sentence)] $reason,)+
        }
    };
}

reasons! {
    /// A second issue has the id of an earlier one.
    RepeatedId = "an earlier issue has this id; this one is left out",
    /// The issue lacks the form that the tool documents.
    Unreadable = "not readable; left out",
    /// Pull requests are listed among GitHub's issues.
    PullRequest = "a pull request; left out",
    /// The issue has no id, so that its line stands for one.
    NoId = "no id; the line number is used, and a changed file makes new cards",
    /// The issue has no title.
    NoTitle = "no title; the key is used",
    /// The title is longer than a card's name, or has characters that no name has.
    TitleCut = "not a name of at most 255 characters; the description begins with it",
    /// The text is longer than a card's.
    TextContinued = "over 10,000 characters; continued in comments",
    /// PostgreSQL can't store NUL.
    NulRemoved = "the character NUL is removed",
    /// A style or element that Markdown lacks; its text stays.
    StyleRemoved = "Markdown has no such style; the text stays",
    /// A part of the source that cards lack.
    NoCounterpart = "cards have no such part; left out",
    /// The estimate has a fraction.
    EstimateRounded = "rounded to the nearest whole number, halves up; a comment keeps it",
    /// The estimate is not a number, or not from 0 to 2147483647.
    EstimateKept = "not an estimate; a comment keeps it",
    /// The priority is not known.
    PriorityKept = "not a known priority; a comment keeps it",
    /// Two levels of the source are one here.
    PriorityMerged = "the nearest priority is used",
    /// The text is not a date.
    DateKept = "not a date; a comment keeps it",
    /// No date of the export tells days from months.
    DayOrderAssumed = "day or month first can't be told; read as day first",
    /// A label that differs from an earlier one in case alone.
    LabelMerged = "an earlier label differs in case alone; that one is used",
    /// A label with a color and no name.
    LabelNamed = "the label has no name; its color is used",
    /// A card has at most 100 labels, and each has a visible character.
    LabelRemoved = "not a label, or beyond 100 of an issue; left out",
    /// The link has a type of its own.
    RelationGeneralized = "a type without counterpart; the issues are related",
    /// The issue has very many deviations.
    NotListed = "the issue has over 1,000 such values; the others aren't listed",
    /// The issue has very many comments.
    CommentsRemoved = "beyond 1,000 of an issue; left out",
    /// Another issue has the key already.
    KeyRepeated = "an earlier issue has this key; the card is not found by it",
    /// The id is too long to be known again as a whole.
    IdCut = "longer than 255 characters; its beginning is used",
    /// The type has a comma, or more than 50 characters.
    TypeKept = "not a type of cards; a comment keeps it",
    /// The custom field doesn't take the value.
    FieldKept = "the custom field doesn't take it; a comment keeps it",
    /// A column for a custom field is nowhere in the file.
    FieldAbsent = "no issue has a value of it for the custom field",
    /// The line is empty, longer than 1,000 characters, or beyond 200 of an issue.
    LineKept = "not a line of a checklist, or beyond 200 of an issue; a comment keeps it",
    /// The parent leaves no level for the issue.
    ParentRemoved = "cards have eight levels; a comment keeps the parent",
    /// A parent or a related issue isn't in the file.
    Elsewhere = "not in the file; left out",
    /// The issue is its own parent or related to itself.
    Circular = "leads back to the issue; left out",
    /// The row has more cells than the table has columns.
    CellWithoutColumn = "no column has this place; left out with what follows it",
    /// Two columns without a field of their own have one name, or a value of this name exists.
    FieldRepeated = "several values of one field; joined",
    /// An archived issue counts as closed.
    Archived = "archived; closed here",
    /// The last quotation mark of the file is not closed.
    QuoteOpen = "a quotation mark is not closed; the rest of the file is one cell",
    /// The text's encoding is not declared.
    EncodingGuessed = "not UTF-8; the encoding is guessed",
    /// Trello exports the last 1,000 actions of a board.
    ActionsCapped = "only the last 1,000 actions are exported; older comments are missing",
    /// The project that gets the cards has a name, a description and a visibility of its own.
    ProjectKept = "the project here keeps its own name, description and visibility",
    /// Two sprints of a team that are not over have common days.
    SprintOverlap = "its days overlap those of an earlier sprint of the team; both stay",
    /// Links name objects of a tree that isn't in the file.
    ObjectLeft = "objects come by git clone and atelier sync; the link is left out",
    /// The bytes of attachments aren't in the file.
    FileLeft = "the file itself is not in the export; attach it to the card",
    /// An author without an address.
    AuthorLost = "no address of the person is in the file; the importer is the author",
    /// An assignee or a user without an address.
    PersonLost = "no address of the person is in the file; left out",
    /// A value of a field or an option that the file doesn't define.
    UndefinedValue = "the file does not define the field or the option; left out",
    /// History is written here alone.
    HistoryLeft = "the history of cards begins with their import; these rows are left out",
    /// Cards changed during the export.
    ChangedMeanwhile = "cards changed while the file was written; its lines may be of different moments",
}

#[cfg(test)]
mod tests {
    use super::{DeviationReason, Place};

    #[test]
    fn a_deviation_repeats_the_beginning_of_a_value() {
        let deviation = Place::default().deviation("Summary", &"x".repeat(300), DeviationReason::TitleCut);
        assert_eq!(deviation.value.len(), 200);
        assert_eq!(
            deviation.reason.to_string(),
            "not a name of at most 255 characters; the description begins with it"
        );
    }
}
