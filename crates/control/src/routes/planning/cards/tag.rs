//! Put a tag on a card.

use api::planning::cards::CardResponse;
use api::planning::cards::relations::{CardTagPath, TagCard};
use auth::actor::CardWrite;
use domain::Result;
use domain::error::Location;
use store::planning::cards::tags;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Puts an active tag of the project on a card. A repeat changes nothing.
pub async fn handle(app: App, request: Request<CardWrite, TagCard>) -> Result<Reply<CardResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let CardTagPath { project_id, card_id, tag_id } = request.path;
    let card = card_names::card(&app, &project_id, &card_id).await?;
    let card = app
        .store
        .mutate(call, &card, async |tx, card| {
            tags::add(tx, card, call, tag_id, expected).await?.shown(tx, call).await
        })
        .await
        .map_err(|error| error.or_at(Location::Path))?;
    Ok(Reply::ok(CardResponse::from(card)))
}
