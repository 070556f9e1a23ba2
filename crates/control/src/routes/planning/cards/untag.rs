//! Remove a tag from a card.

use api::planning::cards::EndResponse;
use api::planning::cards::relations::{CardTagPath, UntagCard};
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::tags;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Removes a tag from a card.
pub async fn handle(app: App, request: Request<CardWrite, UntagCard>) -> Result<Reply<EndResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let CardTagPath { project_id, card_id, tag_id } = request.path;
    let card = card_names::card(&app, &project_id, &card_id).await?;
    let recorded = app
        .store
        .mutate(call, &card, async |tx, card| tags::remove(tx, card, call, tag_id, expected).await)
        .await?;
    Ok(Reply::ok(EndResponse::new(card.card, tag_id.0, recorded.head())))
}
