//! Delete a card for good.

use auth::actor::CardDelete;
use domain::Result;
use domain::history::Sequence;
use domain::id::{CardId, HistoryId};
use schemars::JsonSchema;
use serde::Serialize;
use store::cards;
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::cards::{CardPath, Expectation, expected};

/// The result of the deletion.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteCardResponse")]
pub struct Answer {
    deleted: bool,
    card_id: CardId,
    /// The card's last history row, which records the deletion.
    history_head_id: HistoryId,
    /// The sequence of that row.
    history_head_sequence: Sequence,
}

/// Deletes a card with its comments and its links to tags, users, objects and boards. Its history stays. A stale head
/// is refused without any effect.
pub async fn handle(
    app: App,
    request: Request<CardDelete, CardPath, NoQuery, Option<Json<Expectation>>>,
) -> Result<Reply<Answer>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let deleted = app
        .store
        .mutate(call, &request.path.target(), async |tx, card| cards::delete(tx, card, call, expected).await)
        .await?;
    let head = deleted.head();
    Ok(Reply::ok(Answer {
        deleted: true,
        card_id: request.path.card_id,
        history_head_id: head.id,
        history_head_sequence: head.sequence,
    }))
}
