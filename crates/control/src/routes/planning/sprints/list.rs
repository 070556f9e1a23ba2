//! List a team's sprints.

use api::planning::sprints::{ListSprints, ListSprintsQuery, ListSprintsResponse};
use auth::actor::TeamRead;
use domain::Result;
use domain::id::SprintId;
use store::planning::sprints::{self, SprintFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::target::PathTarget;

/// Lists a team's sprints, newest first.
pub async fn handle(app: App, request: Request<TeamRead, ListSprints>) -> Result<Reply<ListSprintsResponse>> {
    let at = request.path.target();
    let ListSprintsQuery { status, limit, cursor } = request.query;
    let query = SprintFilter { status };
    let page: PageRequest<_, SprintId> =
        PageRequest::open(&app.cursors, ("sprints", at.team, query), limit, cursor)?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, team| {
            sprints::list(tx, team, query, page.from, page.rows()).await
        })
        .await?;
    let (sprints, meta) = page.cut(found, |sprint| sprint.id)?;
    Ok(Reply::ok(ListSprintsResponse { sprints, meta }))
}
