//! Imports of cards from the exports of other planning tools (docs/api.md, section 5).

pub mod board;

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Code;
use crate::id::{FieldId, ImportId, OrganizationId, ProjectId, UserId};
use crate::planning::card::{CardType, CommentBody, Effort, Priority, ResolutionText};
use crate::planning::checklist::ChecklistText;
use crate::planning::custom_field::CustomField;
use crate::planning::import::board::ImportedPlacement;
use crate::planning::project_export::ExportedTeam;
use crate::planning::relation::RelationKind;
use crate::planning::sprint::SprintRecord;
use crate::planning::tag::{Color, TagRecord};
use crate::text::{Description, Name};
use crate::time::{CalendarDay, Deadline, Timestamp};

/// Most issues of an import.
pub const IMPORT_MAX_ISSUES: usize = 100_000;

/// The tool that wrote an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportTool {
    /// Jira: "Export CSV (all fields)".
    Jira,
    /// Linear: "Export data", as CSV.
    Linear,
    /// GitHub: issues as the REST API or `gh issue list --json` writes them.
    GitHub,
    /// Trello: "Export as JSON".
    Trello,
    /// A table whose columns the request explains.
    Csv,
    /// Atelier: the export of a project.
    Ndjson,
}

impl ImportTool {
    /// All.
    pub const ALL: [Self; 6] =
        [Self::Jira, Self::Linear, Self::GitHub, Self::Trello, Self::Csv, Self::Ndjson];

    /// Its name in requests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jira => "jira",
            Self::Linear => "linear",
            Self::GitHub => "github",
            Self::Trello => "trello",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }

    /// Its name as people write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Jira => "Jira",
            Self::Linear => "Linear",
            Self::GitHub => "GitHub",
            Self::Trello => "Trello",
            Self::Csv => "a table",
            Self::Ndjson => "Atelier",
        }
    }
}

impl JsonSchema for ImportTool {
    fn schema_name() -> Cow<'static, str> {
        "ImportTool".into()
    }

    fn inline_schema() -> bool {
        true
    }

    /// The names explain themselves.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

/// The state of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportState {
    /// In progress.
    Running,
    /// Done; or a trial, which makes nothing.
    Finished,
    /// It can't go on, and its cards stay: the same file continues it.
    Failed,
}

impl ImportState {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }
}

/// The numbers of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportCounts {
    /// Issues in the file.
    pub issues: u32,
    /// Relations between them.
    pub relations: u32,
    /// Comments on them.
    pub comments: u32,
    /// Boards in the file.
    pub boards: u32,
    /// Sprints in the file.
    pub sprints: u32,
    /// New cards; of a trial, those that it would make.
    pub created: u32,
    /// Issues that have a card already, which stays as it is.
    pub existing: u32,
}

/// An import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportRecord {
    /// Id.
    pub id: ImportId,
    /// The organization.
    pub org_id: OrganizationId,
    /// The project that gets the cards.
    pub project_id: ProjectId,
    /// The user who began it.
    pub created_by: UserId,
    /// Source.
    pub tool: ImportTool,
    /// True for a trial, which makes nothing.
    pub is_dry_run: bool,
    /// State.
    pub state: ImportState,
    /// Why it can't go on.
    pub failure: Option<Code>,
    /// Numbers.
    pub counts: ImportCounts,
    /// Steps that are done: issues, relations, definitions of fields and tags, boards, sprints, places of cards.
    pub done: u32,
    /// All of them.
    pub total: u32,
    /// Number of notes.
    pub note_count: u32,
    /// Time of its beginning.
    pub created_at: Timestamp,
    /// Time of its end.
    pub finished_at: Option<Timestamp>,
}

/// A value of the file that its card doesn't have as it is. Nothing else differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportNote {
    /// Line of the file at which the issue begins; null where files have no lines.
    #[serde(default)]
    pub line: Option<u64>,
    /// The issue's key; null for the file as a whole.
    #[serde(default)]
    pub issue: Option<String>,
    /// The field or column.
    pub field: String,
    /// The beginning of the value.
    pub value: String,
    /// The rule that was applied.
    pub reason: String,
}

/// A step of an import.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ImportItem {
    /// Defines a custom field, unless the project has one of this name.
    Field(Box<CustomField>),
    /// Makes a tag, unless the project has one of this name.
    Tag(Box<TagRecord>),
    /// Makes a card.
    Card(Box<ImportedCard>),
    /// Relates two cards.
    Relation(ImportedRelation),
    /// Makes a team with the columns of its board, unless an import made it before.
    Team(Box<ExportedTeam>),
    /// Makes a planned sprint, unless an import made it before.
    Sprint(Box<SprintRecord>),
    /// Puts a card on a board.
    Placement(ImportedPlacement),
    /// Starts a new sprint whose cards are in it, and completes it, as its status says.
    SprintState(Box<SprintRecord>),
}

/// A card to be made of an issue. Its values fit those of cards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportedCard {
    /// The tool's lasting id, by which a later import knows the card.
    pub source_id: String,
    /// The tool's key, which names the card here, too.
    pub source_key: String,
    /// The id of the issue of which it is a part.
    pub parent: Option<String>,
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Resolution.
    pub resolution: ResolutionText,
    /// Type.
    pub card_type: CardType,
    /// Priority.
    pub priority: Priority,
    /// Effort.
    pub effort: Effort,
    /// Start day.
    pub start_date: Option<CalendarDay>,
    /// Due date.
    pub deadline: Option<Deadline>,
    /// False for a closed card.
    pub is_open: bool,
    /// Time of creation.
    pub created_at: Option<Timestamp>,
    /// Time of closing.
    pub closed_at: Option<Timestamp>,
    /// Address of its author.
    pub author: Option<String>,
    /// Address of its assignee.
    pub assignee: Option<String>,
    /// Tags.
    pub tags: Vec<ImportedTag>,
    /// Comments, the oldest first.
    pub comments: Vec<ImportedComment>,
    /// Lines of its checklist.
    pub checklist: Vec<ImportedLine>,
    /// Values of custom fields.
    #[serde(default)]
    pub fields: Vec<ImportedValue>,
    /// The parts that only exports of this service have.
    #[serde(default)]
    pub exact: Option<Box<ExactCard>>,
}

/// A value of an imported card's custom field. The field took it when the file was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportedValue {
    /// The field.
    pub field: FieldId,
    /// Name of the column or field in the file.
    pub column: String,
    /// Text in the file.
    pub text: String,
    /// Comments that keep the text if the field takes the value no longer.
    pub comments: Vec<CommentBody>,
    /// The value.
    pub input: ImportedInput,
}

impl ImportedValue {
    /// The address of the user that it is.
    pub fn person(&self) -> Option<&String> {
        match &self.input {
            ImportedInput::Person(address) => Some(address),
            ImportedInput::Value(_) => None,
        }
    }
}

/// The value of an imported card's custom field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ImportedInput {
    /// A value as requests have it.
    Value(Value),
    /// The address of a user.
    Person(String),
}

/// The parts of a card that make it the same as the exported one. Steps of other tools have none of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExactCard {
    /// Its number, for which the project may have another card.
    pub number: Option<i64>,
    /// Values of custom fields by the fields' names, and options by theirs.
    pub fields: BTreeMap<String, Value>,
    /// Addresses of the users among the values of custom fields, by the fields' names.
    pub user_fields: BTreeMap<String, String>,
    /// Addresses of all assignees, the first one too.
    pub assignees: Vec<String>,
}

/// A tag of an imported card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportedTag {
    /// Name.
    pub name: Name,
    /// Color, for a tag that the project doesn't have.
    pub color: Option<Color>,
}

/// A comment of an imported card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportedComment {
    /// Address of its author.
    pub author: Option<String>,
    /// Time of writing.
    pub created_at: Option<Timestamp>,
    /// Text. It names an author who may not be found here.
    pub body: CommentBody,
    /// Text for an author who is found.
    #[serde(default)]
    pub own_body: Option<CommentBody>,
    /// True for a comment that only names the author of the next one: it is left out if the author is found.
    #[serde(default)]
    pub is_signature: bool,
    /// Time of the last change; that of writing, if it is absent.
    #[serde(default)]
    pub updated_at: Option<Timestamp>,
}

/// A line of an imported checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportedLine {
    /// Text.
    pub text: ChecklistText,
    /// True for a ticked line.
    pub is_done: bool,
}

/// A relation between two issues, by their ids in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedRelation {
    /// The issue that blocks or duplicates.
    pub from: String,
    /// Kind.
    pub kind: RelationKind,
    /// The issue that is blocked or duplicated.
    pub to: String,
}
