//! Boards, and places of cards on them.

use domain::id::{CardId, HistoryId, OrganizationId, SprintId, StatusId, TeamId};
use domain::key::CardName;
use domain::patch::Patch;
use domain::planning::board::changes::{BoardChanges, BoardRevision};
use domain::planning::board::{Board, Placement, WipWarning};
use domain::planning::card::{AssigneeTerms, CardRecord, IndexCard, ProjectTerms, SprintTerms};
use domain::planning::history::Sequence;
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::planning::cards::{EndResponse, HistoryHeadRequest};
use crate::planning::teams::TeamPath;
use crate::{operations, tags};

operations! {
    tag: tags::BOARDS;

    /// Answers the whole board: columns with their totals, and the cards that the caller may read. Filters leave the
    /// totals as they are. Poll it with `If-None-Match`. With `at` it is as it was then; a time to come, or before columns
    /// were kept, is `MOMENT_NOT_KNOWN`.
    GetBoard = Get "/api/v2/orgs/{orgId}/teams/{teamId}/board" {
        summary: "Read a team's board",
        path: TeamPath,
        query: GetBoardQuery,
        answer: GetBoardResponse,
        effect: Reads,
        tool: Toolbox("teams"),
        also: everyday(),
    }

    /// Answers the columns and cards that changed since a revision, and the cards that are gone. They make the board of
    /// that revision what `getBoard` answers. If the revision is unknown, they make an empty board so.
    GetBoardChanges = Get "/api/v2/orgs/{orgId}/teams/{teamId}/board/changes" {
        summary: "Read what changed on a team's board",
        path: TeamPath,
        query: GetBoardChangesQuery,
        answer: GetBoardChangesResponse,
        effect: Reads,
        tool: NotATool("needs the whole board of the revision"),
    }

    /// Puts a card on the board, moves it, or changes its sprint. A card that was taken off returns to its place. If
    /// the neighbours in `beforeCardId` and `afterCardId` have moved, it is `POSITION_CONFLICT`. A full column with a
    /// strict limit is `WIP_LIMIT_REACHED`, a completed sprint `SPRINT_NOT_ACTIVE`. With an expected head, a move since
    /// is `CARD_HISTORY_CONFLICT`; two heads that differ are `HISTORY_HEAD_MISMATCH`.
    PlaceCard = Put "/api/v2/orgs/{orgId}/teams/{teamId}/cards/{cardId}" {
        summary: "Place or move a card on a team's board",
        path: BoardCardPath,
        body: Option<Json<PlaceCardRequest>>,
        answer: PlaceCardResponse,
        effect: Idempotent,
        tool: Toolbox("teams"),
        also: everyday(), conditional(),
    }

    /// Places or moves up to 100 cards in one transaction, in the order given: all or none. The first card that is
    /// refused is the answer, as by `placeCard`, with its position in `details.placement`: `POSITION_CONFLICT`,
    /// `WIP_LIMIT_REACHED`, `SPRINT_NOT_ACTIVE` or `CARD_HISTORY_CONFLICT`.
    PlaceCards = Put "/api/v2/orgs/{orgId}/teams/{teamId}/cards" {
        summary: "Place or move several cards on a team's board",
        path: TeamPath,
        body: Json<PlaceCardsRequest>,
        answer: PlaceCardsResponse,
        effect: Idempotent,
        tool: Toolbox("teams"),
    }

    /// Takes a card off the board. Placed again without a column, it returns to its place and its sprint. With an
    /// expected head, a move since is `CARD_HISTORY_CONFLICT`; two heads that differ are `HISTORY_HEAD_MISMATCH`.
    RemoveCard = Delete "/api/v2/orgs/{orgId}/teams/{teamId}/cards/{cardId}" {
        summary: "Remove a card from a team's board",
        path: BoardCardPath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: EndResponse,
        effect: Idempotent,
        tool: Toolbox("teams"),
        also: conditional(),
    }
}

/// The filter of cards, and the moment.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetBoardQuery {
    /// Only cards in one of these sprints; `none` for no sprint. In each list of a filter, `!` in front means not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprint_id: Option<SprintTerms>,
    /// Only cards of one of these projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectTerms>,
    /// Only cards assigned to one of these users: ids, `me` for the caller, `none` for no assignee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee_id: Option<AssigneeTerms>,
    /// A time of the past. Defaults to now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// A board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetBoardResponse {
    /// The board.
    pub board: Board,
}

/// The revision, and the filter of cards as [`GetBoardQuery`] has it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetBoardChangesQuery {
    /// The board's `ETag`, or `revision` of the last changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<BoardRevision>,
    /// Only cards in one of these sprints; `none` for no sprint. In each list of a filter, `!` in front means not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprint_id: Option<SprintTerms>,
    /// Only cards of one of these projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectTerms>,
    /// Only cards assigned to one of these users: ids, `me` for the caller, `none` for no assignee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee_id: Option<AssigneeTerms>,
}

/// The changes of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetBoardChangesResponse {
    /// The changes.
    pub changes: BoardChanges,
}

/// The card's new place.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlaceCardRequest {
    /// The column. Defaults to the card's own, or its last one on the board with its place and sprint, or the leftmost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_id: Option<StatusId>,
    /// A sprint that is not completed. Null removes the card from its sprint.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub sprint_id: Patch<SprintId>,
    /// Place directly before this card of the column. Defaults to the end of the column for a card that enters it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_card_id: Option<CardName>,
    /// Place directly after this card of the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_card_id: Option<CardName>,
    /// Close the card. Only in a `closed` column whose `closeMode` is `manual`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close_card: Option<bool>,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// Placements, applied in their order: all or none.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PlaceCardsRequest")]
pub struct PlaceCardsRequest<P = CardPlacement> {
    /// The cards with their new places, each card once. A card without neighbours goes behind those before it.
    #[schemars(with = "Vec<CardPlacement>", length(min = 1, max = 100))]
    pub placements: Vec<P>,
}

/// A card with its new place.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("additionalProperties" = false))]
pub struct CardPlacement {
    /// The card, by its id or key.
    pub card_id: CardName,
    /// Its new place.
    #[serde(flatten)]
    pub place: PlaceCardRequest,
}

/// A card's new place on a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("additionalProperties" = false))]
pub struct TeamPlacementRequest {
    /// The organization of the team.
    pub org_id: OrganizationId,
    /// The team. The card's project is linked to it.
    pub team_id: TeamId,
    /// The place on its board.
    #[serde(flatten)]
    pub place: PlaceCardRequest,
}

/// The placed cards, in the order of the request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlaceCardsResponse {
    /// The placements.
    pub placements: Vec<CardPlacementResult>,
}

/// A placed card.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardPlacementResult {
    /// The card.
    pub card_id: CardId,
    /// The card's place.
    pub placement: Placement,
    /// True while the card is open. A column may have closed or reopened it.
    pub is_open: bool,
    /// The card's latest history row.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
    /// Present if the card entered a column that now exceeds its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wip_warning: Option<WipWarning>,
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

/// The path of an operation on one card of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardCardPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The team.
    pub team_id: TeamId,
    /// The card, by its id or key. Its project is linked to the team.
    pub card_id: CardName,
}
