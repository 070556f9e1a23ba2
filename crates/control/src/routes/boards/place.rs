//! Place a card on a team's board, or move it there.

use auth::actor::TeamWrite;
use domain::board::{Placement, WipWarning};
use domain::card::{CardRecord, IndexCard};
use domain::history::Sequence;
use domain::id::{CardId, HistoryId, SprintId, StatusId};
use domain::patch::Patch;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::cards::placements::{self, Move, Placed};
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::boards::BoardCardPath;
use crate::routes::cards::{CardAnswer, expected_head};

/// Where the card is to go.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PlaceCardRequest")]
pub struct Body {
    /// The column. A card stays in its own unless said; one that is not on the board goes to the leftmost.
    status_id: Option<StatusId>,
    /// The sprint, which is not completed; null takes the card out of its sprint.
    #[serde(default)]
    sprint_id: Patch<SprintId>,
    /// Right before this card, which stands in the column. Without any neighbour, a card that enters goes to the end.
    before_card_id: Option<CardId>,
    /// Right after this card, which stands in the column.
    after_card_id: Option<CardId>,
    /// Closes the card, in a column that is `closed` and whose `closeMode` is `manual`.
    close_card: Option<bool>,
    /// The card's latest history head that the client has seen, as `If-Match` may say, too.
    expected_history_head_id: Option<HistoryId>,
}

/// A card where it stands now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaceCardResponse")]
pub struct Answer {
    /// The card.
    card: CardRecord,
    /// Its place.
    placement: Placement,
    /// Its latest history row.
    history_head_id: HistoryId,
    /// That row's number.
    history_head_sequence: Sequence,
    /// Its denormalized record.
    index_card: IndexCard,
    /// There where the card went into a column that now holds more than its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    wip_warning: Option<WipWarning>,
}

/// Places a card, or moves it; a repeat changes nothing. With an expected head it conflicts only where the card has
/// moved on this board since, or was opened or closed as this move would.
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
                return Err(Error::invalid(field, "other", "must name another card"));
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

impl From<Placed> for Answer {
    fn from(placed: Placed) -> Self {
        let CardAnswer { card, history_head_id, history_head_sequence, index_card } =
            CardAnswer::from(placed.card);
        let (placement, wip_warning) = (placed.placement, placed.warning);
        Self { card, placement, history_head_id, history_head_sequence, index_card, wip_warning }
    }
}
