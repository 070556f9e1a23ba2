//! Delete a card tag.

use api::planning::card_tags::{CardTagResponse, DeleteCardTag, DeleteCardTagResponse};
use auth::actor::CardDelete;
use domain::Result;
use store::planning::card_tags;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Deletes a tag and removes it from every card, each with a history row. With `If-Match` only if the tag's `ETag`
/// matches.
pub async fn handle(
    app: App,
    request: Request<CardDelete, DeleteCardTag>,
) -> Result<Reply<DeleteCardTagResponse>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let untagged_cards = app
        .store
        .mutate(call, &request.path.target(), async |tx, tag| {
            wire::check_if_match(
                expected.as_ref(),
                &CardTagResponse { tag: card_tags::get(tx, tag).await? },
            )?;
            card_tags::delete(tx, tag, call).await
        })
        .await?;
    Ok(Reply::ok(DeleteCardTagResponse { deleted: true, tag_id: request.path.tag_id, untagged_cards }))
}
