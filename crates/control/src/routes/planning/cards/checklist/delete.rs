//! Delete a line of a checklist.

use api::planning::cards::EndResponse;
use api::planning::cards::checklist::DeleteChecklistItem;
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::checklist;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Deletes a line.
pub async fn handle(
    app: App,
    request: Request<CardWrite, DeleteChecklistItem>,
) -> Result<Reply<EndResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let id = request.path.item_id;
    let recorded = app
        .store
        .mutate(call, &at, async |tx, card| checklist::delete(tx, card, call, id, expected).await)
        .await?;
    Ok(Reply::ok(EndResponse::new(at.card, id.0, recorded.head())))
}
