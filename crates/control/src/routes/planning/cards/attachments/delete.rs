//! Remove an attachment of a card.

use api::planning::cards::EndResponse;
use api::planning::cards::attachments::DeleteAttachment;
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::attachments;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Removes an attachment. Its bytes are no longer counted to the owner if nothing else has them.
pub async fn handle(app: App, request: Request<CardWrite, DeleteAttachment>) -> Result<Reply<EndResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let id = request.path.attachment_id;
    let recorded = app
        .store
        .mutate(call, &at, async |tx, card| attachments::delete(tx, card, call, id, expected).await)
        .await?;
    Ok(Reply::ok(EndResponse::new(at.card, id.0, recorded.head())))
}
