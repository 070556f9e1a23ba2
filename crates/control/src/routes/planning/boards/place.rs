//! Place a card on a team's board, or move it there.

use api::planning::boards::{PlaceCard, PlaceCardRequest, PlaceCardResponse};
use api::planning::cards::CardResponse;
use auth::actor::TeamWrite;
use domain::id::CardId;
use domain::key::{CardIds, CardName};
use domain::planning::board::{Placement, WipWarning};
use domain::planning::card::ShownCard;
use domain::{Error, Result, Rule};
use store::planning::cards::placements::{self, Move};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected_head;

/// Places or moves a card. A repeat changes nothing. With an expected head, it conflicts only if the card has since
/// moved on this board, or was opened or closed and this move does so, too.
pub async fn handle(app: App, request: Request<TeamWrite, PlaceCard>) -> Result<Reply<PlaceCardResponse>> {
    let body = request.body.map(|body| body.0).unwrap_or_default();
    let expected = expected_head(&request.head, body.expected_history_head_id)?;
    let named: Vec<CardName> = body.before_card_id.iter().chain(&body.after_card_id).cloned().collect();
    let (at, ids) = card_names::board_card(&app, &request.path, &named).await?;
    let to = validate(body, Some(at.card), &ids)?;
    let call = &request.call;
    let placed = app
        .store
        .mutate(call, &at, async |tx, at| {
            let placed = placements::place(tx, at, call, &to, expected).await?;
            let card = placed.card.shown_on(tx, call, placed.placement.team_id).await?;
            Ok(answer(card, placed.placement, placed.warning))
        })
        .await?;
    Ok(Reply::ok(placed))
}

/// The move of `card` that a request describes; of a new card for `None`. `ids` knows the cards that it names.
///
/// # Errors
/// `INVALID_REQUEST` if the card is its own neighbour.
pub fn validate(body: PlaceCardRequest, card: Option<CardId>, ids: &CardIds) -> Result<Move> {
    let [before, after] =
        [&body.before_card_id, &body.after_card_id].map(|name| name.as_ref().map(|name| ids.of(name)));
    for (field, neighbour) in [("beforeCardId", before), ("afterCardId", after)] {
        if neighbour.is_some() && neighbour == card {
            return Err(Error::invalid(field, Rule::conflict("cardId"), "must name another card"));
        }
    }
    Ok(Move {
        status: body.status_id,
        sprint: body.sprint_id.nullable(),
        before,
        after,
        close_card: body.close_card.unwrap_or_default(),
    })
}

/// The answer.
fn answer(card: ShownCard, placement: Placement, wip_warning: Option<WipWarning>) -> PlaceCardResponse {
    let CardResponse { card, history_head_id, history_head_sequence, index_card } = CardResponse::from(card);
    PlaceCardResponse { card, placement, history_head_id, history_head_sequence, index_card, wip_warning }
}
