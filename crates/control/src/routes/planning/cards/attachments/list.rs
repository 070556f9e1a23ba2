//! List a card's attachments.

use api::planning::cards::attachments::{ListAttachments, ListAttachmentsResponse};
use auth::actor::CardRead;
use domain::Result;
use store::planning::cards::attachments;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;

/// Lists the files that are attached to a card, oldest first.
pub async fn handle(
    app: App,
    request: Request<CardRead, ListAttachments>,
) -> Result<Reply<ListAttachmentsResponse>> {
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let attachments =
        app.store.read(&request.call, &at, async |tx, card| attachments::list(tx, card).await).await?;
    Ok(Reply::ok(ListAttachmentsResponse { attachments }))
}
