//! List a card's relations.

use api::planning::cards::related::{ListCardRelations, ListCardRelationsResponse};
use auth::actor::CardRead;
use domain::Result;
use store::planning::cards::relations;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;

/// Lists a card's relations by kind and number of the other card.
pub async fn handle(
    app: App,
    request: Request<CardRead, ListCardRelations>,
) -> Result<Reply<ListCardRelationsResponse>> {
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let call = &request.call;
    let relations = app.store.read(call, &at, async |tx, card| relations::list(tx, card, call).await).await?;
    Ok(Reply::ok(ListCardRelationsResponse { relations }))
}
