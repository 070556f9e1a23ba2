//! End a card's link to an object.

use api::planning::cards::EndResponse;
use api::planning::cards::relations::{CardObjectPath, UnlinkCard};
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::objects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Ends a card's link to an object, which may be deleted.
pub async fn handle(app: App, request: Request<CardWrite, UnlinkCard>) -> Result<Reply<EndResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let CardObjectPath { project_id, card_id, object_id } = request.path;
    let card = card_names::card(&app, &project_id, &card_id).await?;
    let recorded = app
        .store
        .mutate(call, &card, async |tx, card| objects::unlink(tx, card, call, object_id, expected).await)
        .await?;
    Ok(Reply::ok(EndResponse::new(card.card, object_id.0, recorded.head())))
}
