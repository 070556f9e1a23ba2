//! Delete a card for good.

use api::planning::cards::{DeleteCard, DeleteCardResponse};
use auth::actor::CardDelete;
use domain::Result;
use store::planning::cards;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Deletes a card with its comments and its links to tags, users, objects and boards. Its history stays. A stale head
/// is refused without any effect.
pub async fn handle(app: App, request: Request<CardDelete, DeleteCard>) -> Result<Reply<DeleteCardResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let deleted =
        app.store.mutate(call, &at, async |tx, card| cards::delete(tx, card, call, expected).await).await?;
    let head = deleted.head();
    Ok(Reply::ok(DeleteCardResponse {
        deleted: true,
        card_id: at.card,
        history_head_id: head.id,
        history_head_sequence: head.sequence,
    }))
}
