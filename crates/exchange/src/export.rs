//! Issues as planning tools export them, in one form for all tools. Values fit the limits of cards, and references are
//! keys of the source: an import job turns them into ids.

use std::collections::{BTreeMap, BTreeSet};

use domain::planning::card::{CommentBody, Effort, Priority};
use domain::planning::import::ImportTool;
use domain::planning::relation::RelationKind;
use domain::planning::tag::Color;
use domain::text::{Description, Name};
use domain::time::{DateOrTime, Timestamp};
use serde::Serialize;

use crate::deviation::Deviation;

/// The content of an export.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Export {
    /// The tool that wrote it.
    pub tool: ImportTool,
    /// The issues in the order that the tool shows them in, as far as the export tells it.
    pub issues: Vec<SourceIssue>,
    /// Relations between issues, each once. An end may be outside of the export.
    pub relations: BTreeSet<SourceRelation>,
    /// People by the id that issues name them with.
    pub people: BTreeMap<String, SourcePerson>,
    /// Labels, no two of which differ in case alone.
    pub labels: Vec<SourceLabel>,
    /// Sprints by name.
    pub sprints: BTreeMap<Name, SourceSprint>,
    /// Every value that the issues don't hold as the source has it.
    pub deviations: Vec<Deviation>,
}

/// An issue, ticket or card of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceIssue {
    /// The tool's lasting id, which makes a second import find the card of the first.
    pub source_id: String,
    /// The key by which parents and relations name it, for example `GEAR-12`; its id if the tool has no keys.
    pub key: String,
    /// Keys that it had before.
    pub aliases: Vec<String>,
    /// Title.
    pub name: Name,
    /// Description, as Markdown.
    pub description: Description,
    /// Type, in the tool's words.
    pub kind: Option<Name>,
    /// Priority.
    pub priority: Priority,
    /// State, in the tool's words.
    pub status: Option<Name>,
    /// False for a finished, cancelled or archived issue.
    pub is_open: bool,
    /// Reason for which it is closed, in the tool's words.
    pub resolution: Option<Name>,
    /// Id of its author.
    pub reporter: Option<String>,
    /// Ids of its assignees.
    pub assignees: Vec<String>,
    /// Labels in the spelling of [`Export::labels`].
    pub labels: Vec<Name>,
    /// Key of the parent, which may be outside of the export.
    pub parent: Option<String>,
    /// Lines of its checklists.
    pub checklist: Vec<SourceCheck>,
    /// Estimate in points; 0 without one.
    pub effort: Effort,
    /// First day of work.
    pub start: Option<DateOrTime>,
    /// Due day or time.
    pub due: Option<DateOrTime>,
    /// Time of creation.
    pub created: Option<Timestamp>,
    /// Time of the last change.
    pub updated: Option<Timestamp>,
    /// Time of closing.
    pub closed: Option<Timestamp>,
    /// Names of its sprints, the latest last.
    pub sprints: Vec<Name>,
    /// Comments, the oldest first.
    pub comments: Vec<SourceComment>,
    /// Attached files.
    pub attachments: Vec<SourceAttachment>,
    /// Values of other fields by their names.
    pub fields: BTreeMap<String, String>,
}

/// A line of a checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceCheck {
    /// Name of the checklist, of which an issue may have several.
    pub list: String,
    /// Text.
    pub text: String,
    /// True for a ticked line.
    pub is_done: bool,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceComment {
    /// Id of its author.
    pub author: Option<String>,
    /// Time of writing.
    pub created: Option<Timestamp>,
    /// Text, as Markdown.
    pub body: CommentBody,
}

/// An attached file, which the export names and doesn't hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceAttachment {
    /// File name.
    pub name: String,
    /// Address to load it from, with the tool's credentials.
    pub address: String,
    /// Id of the person who attached it.
    pub author: Option<String>,
    /// Time of attaching.
    pub created: Option<Timestamp>,
}

/// A relation between two issues.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SourceRelation {
    /// Key of the issue that blocks or duplicates; the lesser key of two related ones.
    pub from: String,
    /// Kind.
    pub kind: RelationKind,
    /// Key of the issue that is blocked or duplicated.
    pub to: String,
}

/// A person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SourcePerson {
    /// Shown name.
    pub name: Option<String>,
    /// Mail address.
    pub address: Option<String>,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceLabel {
    /// Name.
    pub name: Name,
    /// Color.
    pub color: Option<Color>,
    /// Description.
    pub description: String,
}

/// A sprint, cycle or iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SourceSprint {
    /// First day.
    pub start: Option<DateOrTime>,
    /// Last day.
    pub end: Option<DateOrTime>,
}
