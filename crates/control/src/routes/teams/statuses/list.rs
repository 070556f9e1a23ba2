//! List the status columns of a team's board.

use auth::actor::TeamRead;
use domain::Result;
use domain::id::StatusId;
use domain::page::PageMeta;
use domain::position::Position;
use domain::status::StatusRecord;
use schemars::JsonSchema;
use serde::Serialize;
use store::teams::statuses;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{PageQuery, PageRequest};
use crate::routes::teams::TeamPath;

/// A page of columns, in their order.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListStatusesResponse")]
pub struct Answer {
    statuses: Vec<StatusRecord>,
    meta: PageMeta,
}

/// Lists a team's columns, in their order.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath, PageQuery>) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let page: PageRequest<_, (Position, StatusId)> =
        request.query.open(&app.cursors, ("statuses", at.team))?;
    let mut found =
        app.store.read(&request.call, &at, async |tx, team| statuses::list(tx, team).await).await?;
    // All columns are read, as for a board; the unused rest costs little.
    let position = |status: &StatusRecord| (status.position.clone(), status.id);
    found.retain(|status| page.from.as_ref().is_none_or(|after| position(status) > *after));
    let (statuses, meta) = page.cut(found, position)?;
    Ok(Reply::ok(Answer { statuses, meta }))
}
