//! End a project's link to a team.

use api::planning::teams::projects::{UnlinkProject, UnlinkProjectResponse};
use auth::actor::TeamWrite;
use domain::Result;
use store::planning::teams::projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Ends a project's link to a team and removes its cards from the team's board, each with a history row.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, UnlinkProject>,
) -> Result<Reply<UnlinkProjectResponse>> {
    let call = &request.call;
    let history_heads = app
        .store
        .mutate(call, &request.path.target(), async |tx, at| projects::unlink(tx, at, call).await)
        .await?;
    Ok(Reply::ok(UnlinkProjectResponse {
        deleted: true,
        team_id: request.path.team_id,
        project_id: request.path.project_id.project,
        removed_placements: history_heads.len(),
        history_heads,
    }))
}
