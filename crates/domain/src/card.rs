//! Cards and index cards, spelled as the specification's tables spell them; comments on cards.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::history::{Head, Sequence};
use crate::id::{CardId, CommentId, HistoryId, ProjectId, SprintId, StatusId, TagId, TeamId, UserId};
use crate::search;
use crate::text::{Description, Name, Text};
use crate::time::Timestamp;

/// Longest resolution, and longest comment, in characters (specification, "Limits").
pub const CARD_TEXT_MAX_CHARS: usize = 10_000;
/// Longest `search_text`, in characters (specification, "Limits").
pub const SEARCH_TEXT_MAX_CHARS: usize = 8_192;
/// Most tags of a card.
pub const CARD_MAX_TAGS: usize = 100;

/// How a card was resolved, as Markdown.
pub type Resolution = Text<CARD_TEXT_MAX_CHARS>;
/// The beginning of what a search for a card looks through.
pub type SearchText = Text<SEARCH_TEXT_MAX_CHARS>;

/// A unit-agnostic estimate, for example story points or hours; 0 where there is none. At most 2147483647.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "i64")]
pub struct Effort(#[schemars(range(min = 0))] i32);

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

/// A number that is no effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an integer from 0 to {max}", max = i32::MAX)]
pub struct InvalidEffort;

/// A card (specification, "Card").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Card")]
pub struct CardRecord {
    /// Id.
    pub id: CardId,
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// How it was resolved, as Markdown. Closing or reopening the card does not clear it.
    pub resolution: Resolution,
    /// Who created it.
    pub created_by_user: UserId,
    /// When it was created.
    pub created_at: Timestamp,
    /// When anything about it last changed.
    pub updated_at: Timestamp,
    /// When it is due.
    pub deadline: Option<Timestamp>,
    /// Whether it is open.
    pub is_open: bool,
    /// Its project.
    pub project_id: ProjectId,
    /// Its estimate.
    pub effort: Effort,
    /// Display name of its creator.
    pub author_display_name: String,
    /// Time of the latest transition to closed; null while it is open.
    pub closed_at: Option<Timestamp>,
}

/// A card's denormalized record (specification, "Index card").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexCard {
    /// The card's id.
    pub id: CardId,
    /// Its project.
    pub project_id: ProjectId,
    /// Name.
    pub name: Name,
    /// How it was resolved.
    pub resolution: Resolution,
    /// Whether it is open.
    pub is_open: bool,
    /// When it is due.
    pub deadline: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When anything about it last changed.
    pub updated_at: Timestamp,
    /// When it was closed; null while it is open.
    pub closed_at: Option<Timestamp>,
    /// Its estimate.
    pub effort: Effort,
    /// Its tags.
    pub tag_ids: Vec<TagId>,
    /// Its assignees.
    pub user_ids: Vec<UserId>,
    /// The teams on whose boards it is.
    pub team_ids: Vec<TeamId>,
    /// The columns in which it is.
    pub team_status_ids: Vec<StatusId>,
    /// The sprints in which it is.
    pub sprint_ids: Vec<SprintId>,
    /// The columns, as boards show them.
    pub team_statuses: Vec<TeamStatus>,
    /// Where it is on which board.
    pub team_placements: Vec<TeamPlacement>,
    /// Its latest committed history row.
    pub history_head_id: HistoryId,
    /// That row's number.
    pub history_head_sequence: Sequence,
    /// The beginning of what searches look through: name, resolution and description without differences of case.
    pub search_text: SearchText,
    /// Who created it.
    pub created_by_user: UserId,
    /// Display name of its creator.
    pub author_display_name: String,
}

/// Everything about a card that its own row and its index row hold: what a card and an index card are made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardState {
    /// The card.
    pub card: CardRecord,
    /// Its head.
    pub head: Head,
    /// Its tags.
    pub tag_ids: Vec<TagId>,
    /// Its assignees.
    pub user_ids: Vec<UserId>,
    /// Its places on boards.
    pub boards: Boards,
    /// The beginning of what searches look through.
    pub search_text: SearchText,
}

/// A card's places on boards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boards {
    /// The teams on whose boards it is.
    pub team_ids: Vec<TeamId>,
    /// The columns in which it is.
    pub team_status_ids: Vec<StatusId>,
    /// The sprints in which it is.
    pub sprint_ids: Vec<SprintId>,
    /// The columns, as boards show them.
    pub team_statuses: Vec<TeamStatus>,
    /// Where it is on which board.
    pub team_placements: Vec<TeamPlacement>,
}

/// A card as somebody sees it who may not see every team on whose board it is: the only form in which a card is
/// answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownCard(CardState);

impl CardState {
    /// The card with its places on the boards of the teams that `sees` says yes to.
    pub fn shown(self, sees: impl Fn(TeamId) -> bool) -> ShownCard {
        ShownCard(Self { boards: self.boards.only(sees), ..self })
    }
}

impl Boards {
    /// Those of some teams.
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

    /// Its head.
    pub fn head(&self) -> Head {
        self.0.head
    }

    /// The index card.
    pub fn index_card(&self) -> IndexCard {
        let Self(state) = self;
        let (card, boards) = (state.card.clone(), state.boards.clone());
        IndexCard {
            id: card.id,
            project_id: card.project_id,
            name: card.name,
            resolution: card.resolution,
            is_open: card.is_open,
            deadline: card.deadline,
            created_at: card.created_at,
            updated_at: card.updated_at,
            closed_at: card.closed_at,
            effort: card.effort,
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

/// A column in which a card is, as its board shows it.
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
    /// The sprint, where the card is in one.
    pub sprint_id: Option<SprintId>,
}

/// A card's place on a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamPlacement {
    /// The board's team.
    pub team_id: TeamId,
    /// The column.
    pub status_id: StatusId,
    /// The sprint, where the card is in one.
    pub sprint_id: Option<SprintId>,
}

/// A comment on a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// Id.
    pub id: CommentId,
    /// The card.
    pub card_id: CardId,
    /// What it says, as Markdown.
    pub body: CommentBody,
    /// Who wrote it.
    pub author_id: UserId,
    /// Display name of who wrote it.
    pub author_display_name: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// The text of a comment: not only white space, and at most [`CARD_TEXT_MAX_CHARS`] characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Text<CARD_TEXT_MAX_CHARS>")]
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
        if text.as_str().trim().is_empty() { Err(EmptyComment) } else { Ok(Self(text)) }
    }
}

impl fmt::Display for CommentBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A comment that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must contain a visible character")]
pub struct EmptyComment;

/// All that a search for a card looks through.
pub fn search_document(name: &Name, resolution: &Resolution, description: &Description) -> String {
    let texts = [name.as_str(), resolution.as_str(), description.as_str()];
    let texts = texts.into_iter().filter(|text| !text.is_empty()).map(search::fold);
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::Effort;

    #[test]
    fn an_effort_is_an_integer_from_0_that_the_database_can_hold() {
        let read = |text| serde_json::from_str::<Effort>(text);
        assert_eq!(read("0").unwrap().get(), 0);
        assert_eq!(read("2147483647").unwrap().get(), i32::MAX);
        for refused in ["-1", "2147483648", "1.5", "\"1\"", "null", "1e400"] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }
}
