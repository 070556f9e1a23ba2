//! Place a card on a team's board, or move it there.

use auth::actor::TeamWrite;
use domain::board::{Placement, WipWarning};
use domain::card::{CardRecord, IndexCard};
use domain::history::Sequence;
use domain::id::{CardId, HistoryId, SprintId, StatusId};
use domain::patch::Patch;
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::cards::placements::{self, Move, PlacedCard};
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::boards::BoardCardPath;
use crate::routes::cards::{CardAnswer, expected_head};

/// The card's new place.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PlaceCardRequest")]
pub struct Body {
    /// The column. Defaults to the card's own, or to the leftmost for a card that is not on the board.
    status_id: Option<StatusId>,
    /// A sprint that is not completed. Null removes the card from its sprint.
    #[serde(default)]
    sprint_id: Patch<SprintId>,
    /// Place directly before this card of the column. Defaults to the end of the column for a card that enters it.
    before_card_id: Option<CardId>,
    /// Place directly after this card of the column.
    after_card_id: Option<CardId>,
    /// Close the card. Only in a `closed` column whose `closeMode` is `manual`.
    close_card: Option<bool>,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    expected_history_head_id: Option<HistoryId>,
}

/// A card with its current place.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaceCardResponse")]
pub struct Answer {
    /// The card.
    card: CardRecord,
    /// The card's place.
    placement: Placement,
    /// The card's latest history row.
    history_head_id: HistoryId,
    /// The sequence of that row.
    history_head_sequence: Sequence,
    /// The card with its tags, assignees and boards, as lists show it.
    index_card: IndexCard,
    /// Present if the card entered a column that now exceeds its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    wip_warning: Option<WipWarning>,
}

/// Places or moves a card. A repeat changes nothing. With an expected head, it conflicts only if the card has since
/// moved on this board, or was opened or closed and this move does so, too.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, BoardCardPath, NoQuery, Option<Json<Body>>>,
) -> Result<Reply<Answer>> {
    let body = request.body.map(|body| body.0).unwrap_or_default();
    let expected = expected_head(&request.head, body.expected_history_head_id)?;
    let to = body.validate(request.path.card_id)?;
    let call = &request.call;
    let placed = app
        .store
        .mutate(call, &request.path.target(), async |tx, at| {
            placements::place(tx, at, call, &to, expected).await
        })
        .await?;
    Ok(Reply::ok(Answer::from(placed)))
}

impl Body {
    fn validate(self, card: CardId) -> Result<Move> {
        for (field, neighbour) in [("beforeCardId", self.before_card_id), ("afterCardId", self.after_card_id)]
        {
            if neighbour == Some(card) {
                return Err(Error::invalid(field, Rule::conflict("cardId"), "must name another card"));
            }
        }
        Ok(Move {
            status: self.status_id,
            sprint: self.sprint_id.nullable(),
            before: self.before_card_id,
            after: self.after_card_id,
            close_card: self.close_card.unwrap_or_default(),
        })
    }
}

impl From<PlacedCard> for Answer {
    fn from(placed: PlacedCard) -> Self {
        let CardAnswer { card, history_head_id, history_head_sequence, index_card } =
            CardAnswer::from(placed.card);
        let (placement, wip_warning) = (placed.placement, placed.warning);
        Self { card, placement, history_head_id, history_head_sequence, index_card, wip_warning }
    }
}
