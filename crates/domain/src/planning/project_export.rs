//! The lines of a project's export: one JSON object on each, in the words of the API (docs/api.md, section 5).
//!
//! The order is: the head, people, custom fields, tags, teams, sprints, cards, comments, history, the end. Two exports
//! of a project that nobody changes are the same to the byte.

use serde::{Deserialize, Serialize};

use crate::content::object::Sha256Hash;
use crate::content::project::Visibility;
use crate::id::{ObjectId, ProjectId, SprintId, StatusId, TagId, TeamId, UserId};
use crate::key::ProjectKey;
use crate::planning::attachment::CardAttachment;
use crate::planning::card::{CardRecord, Comment};
use crate::planning::checklist::ChecklistItem;
use crate::planning::custom_field::CustomField;
use crate::planning::history::HistoryRow;
use crate::planning::relation::CardRelation;
use crate::planning::sprint::SprintRecord;
use crate::planning::status::StatusRecord;
use crate::planning::tag::TagRecord;
use crate::planning::team::TeamRecord;
use crate::position::Position;
use crate::text::{Description, Name};

/// The format that the first line names.
pub const EXPORT_FORMAT: &str = "atelier-project";
/// The version of the format. A reader refuses later ones.
pub const EXPORT_VERSION: u32 = 1;

/// A line of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ExportLine {
    /// The first line.
    Project(ExportHead),
    /// A person whom later lines name by id.
    Person(ExportedPerson),
    /// A custom field.
    Field {
        /// The field.
        field: CustomField,
    },
    /// A tag.
    Tag {
        /// The tag.
        tag: TagRecord,
    },
    /// A team to which the project is linked.
    Team(Box<ExportedTeam>),
    /// A sprint of one of these teams.
    Sprint {
        /// The sprint.
        sprint: SprintRecord,
    },
    /// A card.
    Card(Box<ExportedCard>),
    /// A comment, the earlier ones of its card first.
    Comment {
        /// The comment.
        comment: Comment,
    },
    /// A row of the history.
    History {
        /// The row.
        row: HistoryRow,
    },
    /// The last line.
    End(ExportEnd),
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportHead {
    /// [`EXPORT_FORMAT`].
    pub format: String,
    /// [`EXPORT_VERSION`].
    pub version: u32,
    /// The project.
    pub project: ExportedProject,
}

/// An exported project. Readers of cards who may not read projects see its id and key alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportedProject {
    /// Id.
    pub id: ProjectId,
    /// Begins the keys of its cards.
    pub key: Option<ProjectKey>,
    /// Name.
    pub name: Option<Name>,
    /// Description.
    pub description: Option<Description>,
    /// The users who can see it.
    pub visibility: Option<Visibility>,
}

/// A person, as the caller's list of members shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedPerson {
    /// Id.
    pub id: UserId,
    /// Display name.
    pub name: String,
    /// Mail address; null for one that the caller doesn't see.
    pub email: Option<String>,
}

/// A team with the columns of its board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedTeam {
    /// The team.
    pub team: TeamRecord,
    /// Its columns, from the left.
    pub columns: Vec<StatusRecord>,
}

/// A card with everything that hangs on it, except its comments and its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportedCard {
    /// The card.
    pub card: CardRecord,
    /// Its tags.
    pub tag_ids: Vec<TagId>,
    /// Its assignees.
    pub user_ids: Vec<UserId>,
    /// Its places on boards that the caller sees.
    pub placements: Vec<ExportedPlacement>,
    /// The lines of its checklist.
    pub checklist: Vec<ChecklistItem>,
    /// The objects to which it is linked.
    pub object_ids: Vec<ObjectId>,
    /// Its files, without their bytes.
    pub attachments: Vec<CardAttachment>,
    /// Its relations to cards that the caller sees.
    pub relations: Vec<CardRelation>,
}

/// A card's place on a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedPlacement {
    /// The board's team.
    pub team_id: TeamId,
    /// The column.
    pub status_id: StatusId,
    /// The card's sprint, if any.
    pub sprint_id: Option<SprintId>,
    /// Position in the column, which compares bytewise. Earlier exports have none.
    #[serde(default)]
    pub rank: Option<Position>,
}

/// The last line. A file without it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportEnd {
    /// Number of lines before this one.
    pub lines: u64,
    /// Hash of these lines with their line breaks.
    pub sha256: Sha256Hash,
    /// True if a card changed while the file was written, so that its lines may be of different moments.
    pub changed: bool,
}
