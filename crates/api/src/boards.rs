//! Boards, and places of cards on them.

use domain::board::{Board, Placement, WipWarning};
use domain::card::{CardRecord, IndexCard};
use domain::history::Sequence;
use domain::id::{CardId, HistoryId, ProjectId, SprintId, StatusId, UserId};
use domain::patch::Patch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The filter of cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetBoardQuery {
    /// Only cards in this sprint; `none` selects cards without a sprint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprint_id: Option<String>,
    /// Only cards of this project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// Only cards assigned to this user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee_id: Option<UserId>,
}

/// A board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetBoardResponse {
    /// The board.
    pub board: Board,
}

/// The card's new place.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlaceCardRequest {
    /// The column. Defaults to the card's own, or to the leftmost for a card that is not on the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_id: Option<StatusId>,
    /// A sprint that is not completed. Null removes the card from its sprint.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub sprint_id: Patch<SprintId>,
    /// Place directly before this card of the column. Defaults to the end of the column for a card that enters it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_card_id: Option<CardId>,
    /// Place directly after this card of the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_card_id: Option<CardId>,
    /// Close the card. Only in a `closed` column whose `closeMode` is `manual`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close_card: Option<bool>,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// A card with its current place.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceCardResponse {
    /// The card.
    pub card: CardRecord,
    /// The card's place.
    pub placement: Placement,
    /// The card's latest history row.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
    /// The card with its tags, assignees and boards, as lists show it.
    pub index_card: IndexCard,
    /// Present if the card entered a column that now exceeds its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wip_warning: Option<WipWarning>,
}
