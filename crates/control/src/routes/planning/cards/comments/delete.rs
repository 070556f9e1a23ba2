//! Delete a comment.

use api::planning::cards::EndResponse;
use api::planning::cards::comments::DeleteComment;
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::comments;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Deletes a comment: the caller's own, or any with the permission to delete cards.
pub async fn handle(app: App, request: Request<CardWrite, DeleteComment>) -> Result<Reply<EndResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let id = request.path.comment_id;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let recorded = app
        .store
        .mutate(call, &at, async |tx, card| comments::delete(tx, card, call, id, expected).await)
        .await?;
    Ok(Reply::ok(EndResponse::new(at.card, id.0, recorded.head())))
}
