//! End a relation of two cards.

use api::planning::cards::EndResponse;
use api::planning::cards::related::{UnrelateCards, UnrelateCardsRequest};
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::relations;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::cards::related::add::relation;
use crate::routes::planning::history_head::expected_head;

/// Ends the relations of a card to another one, of one kind or all.
pub async fn handle(app: App, request: Request<CardWrite, UnrelateCards>) -> Result<Reply<EndResponse>> {
    let call = &request.call;
    let body = request.body.map(|body| body.0).unwrap_or_default();
    let UnrelateCardsRequest { kind, expected_history_head_id } = body;
    let expected = expected_head(&request.head, expected_history_head_id)?;
    let at = relation(&app, &request.path).await?;
    let recorded = app
        .store
        .mutate(call, &request.path.project_id, async |tx, project| {
            relations::remove(tx, project, call, (at, kind), expected).await
        })
        .await?;
    Ok(Reply::ok(EndResponse::new(at.card, at.other.0, recorded.head())))
}
