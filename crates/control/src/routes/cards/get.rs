//! Read a card.

use auth::actor::CardRead;
use domain::Result;
use domain::card::{CardRecord, IndexCard};
use domain::history::Sequence;
use domain::id::{HistoryId, ObjectId};
use schemars::JsonSchema;
use serde::Serialize;
use store::cards::{objects, view};
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::cards::{CardAnswer, CardPath};

/// A card with its history head and its linked objects.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GetCardResponse")]
pub struct Answer {
    /// The card.
    card: CardRecord,
    /// The card's latest history row, which is also the `ETag`.
    history_head_id: HistoryId,
    /// The sequence of that row.
    history_head_sequence: Sequence,
    /// The card with its tags, assignees and boards, as lists show it.
    index_card: IndexCard,
    /// The objects to which the card is linked.
    object_ids: Vec<ObjectId>,
}

/// Reads a card with its history head and its linked objects.
pub async fn handle(app: App, request: Request<CardRead, CardPath>) -> Result<TaggedReply<Answer>> {
    let call = &request.call;
    let (shown, object_ids) = app
        .store
        .read(call, &request.path.target(), async |tx, card| {
            Ok((view::card(tx, call, card.state.clone()).await?, objects::list(tx, card).await?))
        })
        .await?;
    let CardAnswer { card, history_head_id, history_head_sequence, index_card } = CardAnswer::from(shown);
    let etag = ETag::strong(&history_head_id.to_string());
    let answer = Answer { card, history_head_id, history_head_sequence, index_card, object_ids };
    Ok(Reply::ok(answer).etag(etag))
}
