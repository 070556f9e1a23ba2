//! Place several cards on a team's board, in one transaction.

use std::collections::HashSet;

use api::planning::boards::{
    CardPlacementResult, PlaceCardRequest, PlaceCards, PlaceCardsRequest, PlaceCardsResponse,
};
use auth::actor::TeamWrite;
use domain::key::CardIds;
use domain::{Error, Result, Rule};
use serde_json::{Map, Value};
use store::BoardCardsRef;
use store::planning::cards::placements::{self, CardMove, PlacedCard};
use wire::{JsonAs, Reply, Request};

use crate::app::App;
use crate::routes::body_part::BodyPart;
use crate::routes::planning::boards::place;
use crate::routes::planning::card_names;
use crate::routes::target::PathTarget;

/// Most placements of one request.
const PLACEMENTS_MAX: usize = 100;

/// The placements are read by their parts, so that failures name their place.
type Body = PlaceCardsRequest<Map<String, Value>>;

/// Places cards in the order of the request, all or none. The first one that is refused is the answer, with its position
/// in `details.placement`.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, PlaceCards, JsonAs<PlaceCardsRequest, Body>>,
) -> Result<Reply<PlaceCardsResponse>> {
    let placements = request.body.value.placements;
    let named = card_names::in_elements(&placements);
    let ids = card_names::of_organization(&app, request.path.org_id, &named).await?;
    let moves = read(placements, &ids)?;
    let team = request.path.target();
    let at = BoardCardsRef { team, cards: moves.iter().map(|one| one.card).collect() };
    let call = &request.call;
    let placed =
        app.store.mutate(call, &at, async |tx, at| placements::place_all(tx, at, call, &moves).await).await?;
    Ok(Reply::ok(PlaceCardsResponse { placements: placed.into_iter().map(result).collect() }))
}

/// Reads the placements of a request.
fn read(placements: Vec<Map<String, Value>>, ids: &CardIds) -> Result<Vec<CardMove>> {
    if placements.is_empty() {
        return Err(Error::broken("placements", Rule::MinItems(1)));
    }
    if placements.len() > PLACEMENTS_MAX {
        return Err(Error::broken("placements", Rule::MaxItems(PLACEMENTS_MAX)));
    }
    let mut named = HashSet::new();
    let placements = placements.into_iter().enumerate();
    Error::all(placements.map(|(position, fields)| {
        let mut part = BodyPart::of_list("placements", position, fields);
        let card = ids.of(&part.take("cardId")?);
        let place = part.place.clone();
        if !named.insert(card) {
            return Err(Error::broken(format!("{place}.cardId"), Rule::Duplicate));
        }
        let body: PlaceCardRequest = part.rest()?;
        let expected = body.expected_history_head_id;
        let to = place::validate(body, Some(card), ids).map_err(|error| error.within(&place))?;
        Ok(CardMove { card, to, expected })
    }))
}

fn result(placed: PlacedCard) -> CardPlacementResult {
    let (head, card) = (placed.card.head(), placed.card.into_value().card);
    CardPlacementResult {
        card_id: card.id,
        placement: placed.placement,
        is_open: card.is_open,
        history_head_id: head.id,
        history_head_sequence: head.sequence,
        wip_warning: placed.warning,
    }
}
