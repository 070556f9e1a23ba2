//! Read a card.

use api::planning::cards::{CardResponse, GetCard, GetCardResponse};
use auth::actor::CardRead;
use domain::Result;
use store::planning::cards::{objects, view};
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Reads a card with its history head and its linked objects.
pub async fn handle(app: App, request: Request<CardRead, GetCard>) -> Result<TaggedReply<GetCardResponse>> {
    let call = &request.call;
    let (shown, object_ids) = app
        .store
        .read(call, &request.path.target(), async |tx, card| {
            Ok((view::card(tx, call, card.state.clone(), None).await?, objects::list(tx, card).await?))
        })
        .await?;
    let CardResponse { card, history_head_id, history_head_sequence, index_card } = CardResponse::from(shown);
    let etag = ETag::strong(&history_head_id.to_string());
    let answer = GetCardResponse { card, history_head_id, history_head_sequence, index_card, object_ids };
    Ok(Reply::ok(answer).etag(etag))
}
