//! List the status columns of a team's board.

use api::planning::teams::statuses::{ListStatuses, ListStatusesResponse};
use auth::actor::TeamRead;
use domain::Result;
use domain::id::StatusId;
use domain::planning::status::StatusRecord;
use domain::position::Position;
use store::planning::teams::statuses;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::target::PathTarget;

/// Lists a team's columns, in their order.
pub async fn handle(
    app: App,
    request: Request<TeamRead, ListStatuses>,
) -> Result<Reply<ListStatusesResponse>> {
    let at = request.path.target();
    let page: PageRequest<_, (Position, StatusId)> =
        PageRequest::of(request.query, &app.cursors, ("statuses", at.team))?;
    let mut found =
        app.store.read(&request.call, &at, async |tx, team| statuses::list(tx, team).await).await?;
    // All columns are read, as for a board; the unused rest costs little.
    let position = |status: &StatusRecord| (status.position.clone(), status.id);
    found.retain(|status| page.from.as_ref().is_none_or(|after| position(status) > *after));
    let (statuses, meta) = page.cut(found, position)?;
    Ok(Reply::ok(ListStatusesResponse { statuses, meta }))
}
