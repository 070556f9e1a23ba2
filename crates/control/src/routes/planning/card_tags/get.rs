//! Read a card tag.

use api::planning::card_tags::{CardTagResponse, GetCardTag};
use auth::actor::CardRead;
use domain::Result;
use store::planning::card_tags;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Reads a tag with its number of cards.
pub async fn handle(
    app: App,
    request: Request<CardRead, GetCardTag>,
) -> Result<TaggedReply<CardTagResponse>> {
    let read = async |tx: &mut store::Tx, tag: &_| card_tags::get(tx, tag).await;
    let tag = app.store.read(&request.call, &request.path.target(), read).await?;
    Ok(Reply::ok(CardTagResponse { tag }).etag_of_body())
}
