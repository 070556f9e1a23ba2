//! Relate a card to another one.

use api::planning::cards::CardResponse;
use api::planning::cards::related::{CardRelationPath, RelateCards, RelateCardsRequest};
use auth::actor::CardWrite;
use domain::error::Location;
use domain::{Error, Result, Rule};
use store::planning::cards::relations::{self, RelationRef};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected_head;

/// Relates a card to another one of its owner's. A repeat changes nothing.
pub async fn handle(app: App, request: Request<CardWrite, RelateCards>) -> Result<Reply<CardResponse>> {
    let call = &request.call;
    let RelateCardsRequest { kind, expected_history_head_id } = request.body.0;
    let expected = expected_head(&request.head, expected_history_head_id)?;
    let at = relation(&app, &request.path).await?;
    if at.card == at.other {
        let message = "must name another card";
        return Err(Error::invalid("otherCardId", Rule::conflict("cardId"), message).at(Location::Path));
    }
    let card = app
        .store
        .mutate(call, &request.path.project_id, async |tx, project| {
            relations::add(tx, project, call, (at, kind), expected).await?.shown(tx, call).await
        })
        .await?;
    Ok(Reply::ok(CardResponse::from(card)))
}

/// The two cards of a path.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn relation(app: &App, path: &CardRelationPath) -> Result<RelationRef> {
    let CardRelationPath { project_id, card_id, other_card_id } = path;
    let ids = card_names::of_project(app, project_id, [card_id, other_card_id]).await?;
    Ok(RelationRef { card: ids.of(card_id), other: ids.of(other_card_id) })
}
