//! End an assignment.

use api::planning::cards::EndResponse;
use api::planning::cards::relations::{AssigneePath, UnassignCard};
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::assignees;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Ends the assignment of a card to a user.
pub async fn handle(app: App, request: Request<CardWrite, UnassignCard>) -> Result<Reply<EndResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let AssigneePath { project_id, card_id, user_id } = request.path;
    let card = card_names::card(&app, &project_id, &card_id).await?;
    let recorded = app
        .store
        .mutate(call, &card, async |tx, card| assignees::remove(tx, card, call, user_id, expected).await)
        .await?;
    Ok(Reply::ok(EndResponse::new(card.card, user_id.0, recorded.head())))
}
