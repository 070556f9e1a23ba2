//! Cards, index cards and comments on cards. JSON names are in snake case, unlike those of other resources.

mod fields;
mod filter;
mod kind;
mod order;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CardId, CommentId, HistoryId, ProjectId, SprintId, StatusId, TagId, TeamId, UserId};
use crate::key::CardKey;
use crate::planning::checklist::ChecklistCount;
use crate::planning::history::{HistoryHead, Sequence};
use crate::planning::relation::FarParent;
use crate::search;
use crate::text::{Name, Text, is_blank};
use crate::time::{CalendarDay, Timestamp};

pub use fields::{CardChanges, CardFields, CreateCardRequest, NewCard, UpdateCardRequest};
pub(crate) use filter::is_term;
pub use filter::{
    AssigneeTerms, AuthorTerms, DueTerm, DueTerms, InvalidDueTerm, InvalidTerm, InvalidUserTerm, OrNone,
    ParentTerms, PriorityTerms, ProjectTerms, SprintTerms, StatusTerms, TagTerms, TeamTerms, TermList,
    TypeTerms, UserTerm, ValueTerms,
};
pub use kind::{CARD_TYPE_MAX_CHARS, CardType, InvalidCardType, InvalidPriority, Priority};
pub use order::{CardOrder, CardPosition, CardSort, FieldOrder, FieldSort, ValuePosition};

/// Longest resolution or comment, in characters.
pub const CARD_TEXT_MAX_CHARS: usize = 10_000;
/// Longest `search_text`, in characters.
pub const SEARCH_TEXT_MAX_CHARS: usize = 8_192;
/// Most tags of a card.
pub const CARD_MAX_TAGS: usize = 100;

/// The resolution of a card, as Markdown.
pub type ResolutionText = Text<CARD_TEXT_MAX_CHARS>;
/// The beginning of a card's searchable text.
pub type SearchText = Text<SEARCH_TEXT_MAX_CHARS>;

/// An estimate in any unit, for example story points or hours; 0 without an estimate. At most 2147483647.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "i64")]
#[schemars(extend("minimum" = 0, "maximum" = i32::MAX))]
pub struct Effort(i32);

impl Effort {
    /// The number.
    pub fn get(self) -> i32 {
        self.0
    }
}

impl TryFrom<i64> for Effort {
    type Error = InvalidEffort;

    fn try_from(effort: i64) -> Result<Self, InvalidEffort> {
        i32::try_from(effort).ok().filter(|effort| *effort >= 0).map(Self).ok_or(InvalidEffort)
    }
}

/// The number is not an effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an integer from 0 to {max}", max = i32::MAX)]
pub struct InvalidEffort;

/// A card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Card")]
pub struct CardRecord {
    /// Id.
    pub id: CardId,
    /// Key: the project's key and the card's number, `GEAR-12`. Null for a moment after an upgrade from a version without
    /// keys.
    pub key: Option<CardKey>,
    /// Its number in its project, by the order of creation.
    pub number: Option<i64>,
    /// Fields that people write.
    #[serde(flatten)]
    pub fields: CardFields,
    /// Its creator.
    pub created_by_user: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change. A change of its place on a board doesn't count.
    pub updated_at: Timestamp,
    /// True while it is open.
    pub is_open: bool,
    /// Its project.
    pub project_id: ProjectId,
    /// Display name of its creator.
    pub author_display_name: String,
    /// Time of the latest transition to closed; null while it is open.
    pub closed_at: Option<Timestamp>,
}

/// A card with its tags, assignees and boards, as lists and searches show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexCard {
    /// The card's id.
    pub id: CardId,
    /// Its key, `GEAR-12`.
    pub key: Option<CardKey>,
    /// Its project.
    pub project_id: ProjectId,
    /// Name.
    pub name: Name,
    /// Resolution, as Markdown.
    pub resolution: ResolutionText,
    /// True while it is open.
    pub is_open: bool,
    /// How urgent it is.
    pub priority: Priority,
    /// The kind of work.
    #[serde(rename = "type")]
    pub card_type: CardType,
    /// The card of which it is a part.
    pub parent_id: Option<CardId>,
    /// The lines of its checklist.
    pub checklist: ChecklistCount,
    /// The day on which work begins.
    pub start_date: Option<CalendarDay>,
    /// Due date.
    pub deadline: Option<Timestamp>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change. A change of its place on a board doesn't count.
    pub updated_at: Timestamp,
    /// Time of closing; null while it is open.
    pub closed_at: Option<Timestamp>,
    /// Its estimate.
    pub effort: Effort,
    /// Its tags.
    pub tag_ids: Vec<TagId>,
    /// Its assignees.
    pub user_ids: Vec<UserId>,
    /// The teams whose boards it is on.
    pub team_ids: Vec<TeamId>,
    /// Its columns on these boards.
    pub team_status_ids: Vec<StatusId>,
    /// Its sprints.
    pub sprint_ids: Vec<SprintId>,
    /// Its columns with name and color.
    pub team_statuses: Vec<TeamStatus>,
    /// Its place on each board.
    pub team_placements: Vec<TeamPlacement>,
    /// The latest row of its history that the caller sees.
    pub history_head_id: HistoryId,
    /// That row's number.
    pub history_head_sequence: Sequence,
    /// The beginning of its searchable text: name, resolution and description, case-folded.
    pub search_text: SearchText,
    /// Its creator.
    pub created_by_user: UserId,
    /// Display name of its creator.
    pub author_display_name: String,
}

/// A card's row and index row: the source of [`CardRecord`] and [`IndexCard`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardState {
    /// The card.
    pub card: CardRecord,
    /// Its last history row that is not of a board.
    pub head: HistoryHead,
    /// The last history row of its place on each board that it was ever on.
    #[serde(default)]
    pub board_heads: BoardHeads,
    /// Its tags.
    pub tag_ids: Vec<TagId>,
    /// Its assignees.
    pub user_ids: Vec<UserId>,
    /// The lines of its checklist.
    #[serde(default)]
    pub checklist: ChecklistCount,
    /// Its parent, if that is of another project. The card's fields have none then.
    #[serde(default)]
    pub far_parent: Option<FarParent>,
    /// Its places on boards.
    pub boards: Boards,
    /// The beginning of its searchable text.
    pub search_text: SearchText,
}

/// The last history row of a card's place on each team's board. A reader doesn't see those of hidden teams.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoardHeads(pub BTreeMap<TeamId, HistoryHead>);

/// A card's places on boards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boards {
    /// The teams whose boards it is on.
    pub team_ids: Vec<TeamId>,
    /// Its columns on these boards.
    pub team_status_ids: Vec<StatusId>,
    /// Its sprints.
    pub sprint_ids: Vec<SprintId>,
    /// Its columns with name and color.
    pub team_statuses: Vec<TeamStatus>,
    /// Its place on each board.
    pub team_placements: Vec<TeamPlacement>,
}

/// A card as its reader sees it: without the boards of hidden teams. Responses take cards in no other form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownCard(CardState);

impl CardState {
    /// Removes all traces of the teams that `sees` rejects, and of a parent in a project that `reads` rejects.
    pub fn shown(self, sees: impl Fn(TeamId) -> bool, reads: impl Fn(ProjectId) -> bool) -> ShownCard {
        let head = self.board_heads.head(self.head, &sees);
        let far_parent = self.far_parent.filter(|parent| reads(parent.project));
        let mut card = self.card;
        card.fields.parent_id = card.fields.parent_id.or(far_parent.map(|parent| parent.card));
        let (board_heads, boards) = (BoardHeads::default(), self.boards.only(sees));
        ShownCard(Self { card, head, board_heads, far_parent, boards, ..self })
    }
}

impl BoardHeads {
    /// The head of a card for a reader who sees the teams that `sees` accepts. `own` is the last row that is not of a board.
    pub fn head(&self, own: HistoryHead, sees: impl Fn(TeamId) -> bool) -> HistoryHead {
        let seen = self.0.iter().filter(|(team, _)| sees(**team)).map(|(_, head)| *head);
        seen.fold(own, |latest, head| if latest.sequence < head.sequence { head } else { latest })
    }

    /// The teams.
    pub fn teams(&self) -> impl Iterator<Item = TeamId> {
        self.0.keys().copied()
    }
}

impl Boards {
    /// The places on the boards of the teams that `keep` accepts.
    fn only(self, keep: impl Fn(TeamId) -> bool) -> Self {
        let placements = self.team_placements.into_iter().filter(|place| keep(place.team_id));
        let placements: Vec<TeamPlacement> = placements.collect();
        Self {
            team_ids: placements.iter().map(|place| place.team_id).collect(),
            team_status_ids: placements.iter().map(|place| place.status_id).collect(),
            sprint_ids: placements.iter().filter_map(|place| place.sprint_id).collect(),
            team_statuses: self.team_statuses.into_iter().filter(|status| keep(status.team_id)).collect(),
            team_placements: placements,
        }
    }
}

impl ShownCard {
    /// The card.
    pub fn card(&self) -> &CardRecord {
        &self.0.card
    }

    /// Its head for the reader.
    pub fn head(&self) -> HistoryHead {
        self.0.head
    }

    /// The index card.
    pub fn index_card(&self) -> IndexCard {
        let Self(state) = self;
        let (card, boards) = (state.card.clone(), state.boards.clone());
        IndexCard {
            id: card.id,
            key: card.key,
            project_id: card.project_id,
            name: card.fields.name,
            resolution: card.fields.resolution,
            is_open: card.is_open,
            priority: card.fields.priority,
            card_type: card.fields.card_type,
            parent_id: card.fields.parent_id,
            checklist: state.checklist,
            start_date: card.fields.start_date,
            deadline: card.fields.deadline.map(|deadline| deadline.0),
            created_at: card.created_at,
            updated_at: card.updated_at,
            closed_at: card.closed_at,
            effort: card.fields.effort,
            tag_ids: state.tag_ids.clone(),
            user_ids: state.user_ids.clone(),
            team_ids: boards.team_ids,
            team_status_ids: boards.team_status_ids,
            sprint_ids: boards.sprint_ids,
            team_statuses: boards.team_statuses,
            team_placements: boards.team_placements,
            history_head_id: state.head.id,
            history_head_sequence: state.head.sequence,
            search_text: state.search_text.clone(),
            created_by_user: card.created_by_user,
            author_display_name: card.author_display_name,
        }
    }
}

/// A card's column on a board, with name and color.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamStatus {
    /// The board's team.
    pub team_id: TeamId,
    /// The column.
    pub status_id: StatusId,
    /// The column's name.
    pub status_name: String,
    /// The column's color.
    pub status_color: String,
    /// The card's sprint, if any.
    pub sprint_id: Option<SprintId>,
}

/// A card's place on a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamPlacement {
    /// The board's team.
    pub team_id: TeamId,
    /// The column.
    pub status_id: StatusId,
    /// The card's sprint, if any.
    pub sprint_id: Option<SprintId>,
}

/// The `search_text` of a card with this searchable text: its beginning, with line breaks as seams.
pub fn search_text(document: &str) -> SearchText {
    SearchText::cut(&document.replace(search::SEAM, "\n"))
}

/// The searchable text of a card: name, resolution and description, folded, with [`search::SEAM`] between them.
pub fn search_document(texts: [&str; 3]) -> String {
    let texts = texts.into_iter().filter(|text| !text.is_empty()).map(search::fold);
    texts.collect::<Vec<_>>().join(&search::SEAM.to_string())
}

/// A comment on a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// Id.
    pub id: CommentId,
    /// The card.
    pub card_id: CardId,
    /// Text, as Markdown.
    pub body: CommentBody,
    /// Its author.
    pub author_id: UserId,
    /// Display name of its author.
    pub author_display_name: String,
    /// Time of writing.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// The text of a comment, as Markdown: at most 10,000 characters, not all of them white space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Text<CARD_TEXT_MAX_CHARS>")]
#[schemars(extend("format" = "visible-text"))]
pub struct CommentBody(Text<CARD_TEXT_MAX_CHARS>);

impl CommentBody {
    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl TryFrom<Text<CARD_TEXT_MAX_CHARS>> for CommentBody {
    type Error = EmptyComment;

    fn try_from(text: Text<CARD_TEXT_MAX_CHARS>) -> Result<Self, EmptyComment> {
        if is_blank(text.as_str()) { Err(EmptyComment) } else { Ok(Self(text)) }
    }
}

impl fmt::Display for CommentBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The comment has no visible character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must contain a visible character")]
pub struct EmptyComment;

impl CardFields {
    /// The searchable text: name, resolution and description, case-folded, with [`search::SEAM`] between them.
    pub fn search_document(&self) -> String {
        search_document([self.name.as_str(), self.resolution.as_str(), self.description.as_str()])
    }
}

#[cfg(test)]
mod tests {
    use super::Effort;

    #[test]
    fn an_effort_is_a_non_negative_32_bit_integer() {
        let read = |text| serde_json::from_str::<Effort>(text);
        assert_eq!(read("0").unwrap().get(), 0);
        assert_eq!(read("2147483647").unwrap().get(), i32::MAX);
        for refused in ["-1", "2147483648", "1.5", "\"1\"", "null", "1e400"] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }
}
