//! Assign a card to a user.

use api::planning::cards::CardResponse;
use api::planning::cards::relations::{AssignCard, AssigneePath};
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::assignees;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Assigns a card to a current member of its project. A repeat changes nothing.
pub async fn handle(app: App, request: Request<CardWrite, AssignCard>) -> Result<Reply<CardResponse>> {
    let call = &request.call;
    let expected = expected(&request.head, request.body)?;
    let AssigneePath { project_id, card_id, user_id } = request.path;
    let card = card_names::card(&app, &project_id, &card_id).await?;
    let card = app
        .store
        .mutate(call, &card, async |tx, card| {
            assignees::add(tx, card, call, user_id, expected).await?.shown(tx, call).await
        })
        .await?;
    Ok(Reply::ok(CardResponse::from(card)))
}
