//! Remove a card from a team's board.

use api::planning::boards::{BoardCardPath, RemoveCard};
use api::planning::cards::EndResponse;
use auth::actor::TeamWrite;
use domain::Result;
use store::planning::cards::placements;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::history_head::expected;
use crate::routes::target::PathTarget;

/// Removes a card from a board and from its sprint. The card itself stays, open or closed.
pub async fn handle(app: App, request: Request<TeamWrite, RemoveCard>) -> Result<Reply<EndResponse>> {
    let expected = expected(&request.head, request.body)?;
    let removed = app
        .store
        .mutate(&request.call, &request.path.target(), async |tx, at| {
            placements::remove(tx, at, expected).await
        })
        .await?;
    let BoardCardPath { team_id, card_id, .. } = request.path;
    Ok(Reply::ok(EndResponse::new(card_id, team_id.0, removed.head())))
}
