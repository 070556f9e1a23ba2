//! Read a card.

use auth::actor::CardRead;
use domain::Result;
use domain::card::{CardRecord, IndexCard};
use domain::history::Sequence;
use domain::id::{HistoryId, ObjectId};
use schemars::JsonSchema;
use serde::Serialize;
use store::cards::{objects, shown};
use wire::{ETag, Reply, Request, Tagged};

use crate::app::App;
use crate::routes::cards::{CardAnswer, CardPath};

/// A card with its head and its links.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GetCardResponse")]
pub struct Answer {
    /// The card.
    card: CardRecord,
    /// Its latest history row, which is the `ETag`, too.
    history_head_id: HistoryId,
    /// That row's number.
    history_head_sequence: Sequence,
    /// Its denormalized record.
    index_card: IndexCard,
    /// The objects that it is linked to.
    object_ids: Vec<ObjectId>,
}

/// Reads a card with its head and its links.
pub async fn handle(app: App, request: Request<CardRead, CardPath>) -> Result<Tagged<Answer>> {
    let call = &request.call;
    let (shown, object_ids) = app
        .store
        .read(call, &request.path.target(), async |tx, card| {
            Ok((shown::card(tx, call, card.state.clone()).await?, objects::list(tx, card).await?))
        })
        .await?;
    let CardAnswer { card, history_head_id, history_head_sequence, index_card } = CardAnswer::from(shown);
    let etag = ETag::strong(&history_head_id.to_string());
    let answer = Answer { card, history_head_id, history_head_sequence, index_card, object_ids };
    Ok(Reply::ok(answer).etag(etag))
}
