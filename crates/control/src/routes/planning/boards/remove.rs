//! Remove a card from a team's board.

use api::planning::boards::RemoveCard;
use api::planning::cards::EndResponse;
use auth::actor::TeamWrite;
use domain::Result;
use store::planning::cards::placements;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected;

/// Removes a card from a board and from its sprint. The card itself stays, open or closed.
pub async fn handle(app: App, request: Request<TeamWrite, RemoveCard>) -> Result<Reply<EndResponse>> {
    let expected = expected(&request.head, request.body)?;
    let (at, _) = card_names::board_card(&app, &request.path, []).await?;
    let removed = app
        .store
        .mutate(&request.call, &at, async |tx, at| placements::remove(tx, at, expected).await)
        .await?;
    Ok(Reply::ok(EndResponse::new(at.card, at.team.team.0, removed.head())))
}
