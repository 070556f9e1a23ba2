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

/// The result of the deletion.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteCardTagResponse")]
pub struct Answer {
    deleted: bool,
    tag_id: TagId,
    /// Number of cards that had the tag.
    untagged_cards: usize,
}

/// Deletes a tag and removes it from every card, each with a history row. With `If-Match` only if the tag's `ETag`
/// matches.
pub async fn handle(app: App, request: Request<CardDelete, TagPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let untagged_cards = app
        .store
        .mutate(call, &request.path.target(), async |tx, tag| {
            wire::check_if_match(expected.as_ref(), &TagAnswer { tag: card_tags::get(tx, tag).await? })?;
            card_tags::delete(tx, tag, call).await
        })
        .await?;
    Ok(Reply::ok(Answer { deleted: true, tag_id: request.path.tag_id, untagged_cards }))
}
