//! Link a card to an object of the project's tree.

use api::planning::cards::CardResponse;
use api::planning::cards::relations::{CardObjectPath, LinkCard};
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::objects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Links a card to an object of the project's tree. A repeat changes nothing.
pub async fn handle(app: App, request: Request<CardWrite, LinkCard>) -> Result<Reply<CardResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let CardObjectPath { project_id, card_id, object_id } = request.path;
    let card = card_names::card(&app, &project_id, &card_id).await?;
    let card = app
        .store
        .mutate(call, &card, async |tx, card| {
            objects::link(tx, card, call, object_id, expected).await?.shown(tx, call).await
        })
        .await?;
    Ok(Reply::ok(CardResponse::from(card)))
}
