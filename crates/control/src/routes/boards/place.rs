//! Place a card on a team's board, or move it there.

use api::boards::{PlaceCardRequest, PlaceCardResponse};
use api::cards::CardResponse;
use auth::actor::TeamWrite;
use domain::id::CardId;
use domain::{Error, Result, Rule};
use store::cards::placements::{self, Move, PlacedCard};
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::boards::BoardCardPath;
use crate::routes::cards::expected_head;

/// Places or moves a card. A repeat changes nothing. With an expected head, it conflicts only if the card has since
/// moved on this board, or was opened or closed and this move does so, too.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, BoardCardPath, NoQuery, Option<Json<PlaceCardRequest>>>,
) -> Result<Reply<PlaceCardResponse>> {
    let body = request.body.map(|body| body.0).unwrap_or_default();
    let expected = expected_head(&request.head, body.expected_history_head_id)?;
    let to = validate(body, request.path.card_id)?;
    let call = &request.call;
    let placed = app
        .store
        .mutate(call, &request.path.target(), async |tx, at| {
            placements::place(tx, at, call, &to, expected).await
        })
        .await?;
    Ok(Reply::ok(answer(placed)))
}

fn validate(body: PlaceCardRequest, card: CardId) -> Result<Move> {
    for (field, neighbour) in [("beforeCardId", body.before_card_id), ("afterCardId", body.after_card_id)] {
        if neighbour == Some(card) {
            return Err(Error::invalid(field, Rule::conflict("cardId"), "must name another card"));
        }
    }
    Ok(Move {
        status: body.status_id,
        sprint: body.sprint_id.nullable(),
        before: body.before_card_id,
        after: body.after_card_id,
        close_card: body.close_card.unwrap_or_default(),
    })
}

/// The answer.
fn answer(placed: PlacedCard) -> PlaceCardResponse {
    let CardResponse { card, history_head_id, history_head_sequence, index_card } =
        CardResponse::from(placed.card);
    let (placement, wip_warning) = (placed.placement, placed.warning);
    PlaceCardResponse { card, placement, history_head_id, history_head_sequence, index_card, wip_warning }
}
