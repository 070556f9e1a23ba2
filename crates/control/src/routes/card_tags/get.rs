//! Read a card tag.

use api::card_tags::CardTagResponse;
use auth::actor::CardRead;
use domain::Result;
use store::card_tags;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::card_tags::TagPath;

/// Reads a tag with its number of cards.
pub async fn handle(app: App, request: Request<CardRead, TagPath>) -> Result<TaggedReply<CardTagResponse>> {
    let read = async |tx: &mut store::Tx, tag: &_| card_tags::get(tx, tag).await;
    let tag = app.store.read(&request.call, &request.path.target(), read).await?;
    Ok(Reply::ok(CardTagResponse { tag }).etag_of_body())
}
