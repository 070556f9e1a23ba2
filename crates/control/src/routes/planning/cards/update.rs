//! Change, close or reopen a card. A merge patch: absent fields stay, and `null` clears.

use api::planning::cards::{CardPath, CardResponse, UpdateCard};
use auth::actor::CardWrite;
use domain::Result;
use store::CardRef;
use store::planning::cards;
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected_head;

/// Changes a card's own fields. With an expected head, it conflicts only if one of the same fields has changed since.
pub async fn handle(app: App, request: Request<CardWrite, UpdateCard>) -> Result<TaggedReply<CardResponse>> {
    let call = &request.call;
    let expected = expected_head(&request.head, request.body.0.expected_history_head_id)?;
    let CardPath { project_id, card_id } = &request.path;
    let named = request.body.0.card_names();
    let ids = card_names::of_project(&app, project_id, named.iter().chain([card_id])).await?;
    let at = CardRef { project: project_id.clone(), card: ids.of(card_id) };
    let changes = request.body.0.validate(&ids)?;
    let card = app
        .store
        .mutate(call, &at, async |tx, card| {
            cards::update(tx, card, call, &changes, expected).await?.shown(tx, call).await
        })
        .await?;
    let etag = ETag::strong(&card.head().id.to_string());
    Ok(Reply::ok(CardResponse::from(card)).etag(etag))
}
