//! Delete a card tag.

use auth::actor::CardDelete;
use domain::Result;
use domain::id::TagId;
use schemars::JsonSchema;
use serde::Serialize;
use store::card_tags;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::card_tags::{TagAnswer, TagPath};

/// What was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteCardTagResponse")]
pub struct Answer {
    deleted: bool,
    tag_id: TagId,
    /// How many cards had the tag.
    untagged_cards: usize,
}

/// Deletes a tag and takes it off every card, each with its history row. With `If-Match` only where its `ETag` is as
/// expected.
pub async fn handle(app: App, request: Request<CardDelete, TagPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let untagged_cards = app
        .store
        .mutate(call, &request.path.target(), async |tx, tag| {
            wire::require(expected.as_ref(), &TagAnswer { tag: card_tags::get(tx, tag).await? })?;
            card_tags::delete(tx, tag, call).await
        })
        .await?;
    Ok(Reply::ok(Answer { deleted: true, tag_id: request.path.tag_id, untagged_cards }))
}
