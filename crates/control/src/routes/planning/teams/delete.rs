//! Delete a team for good.

use api::planning::teams::{DeleteTeam, DeleteTeamResponse};
use auth::actor::TeamManage;
use domain::Result;
use store::planning::teams;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::teams::answer;
use crate::routes::target::PathTarget;

/// Deletes a team with its columns, sprints, memberships, links and placements. The cards on its board remain, each
/// with a history row; the caller must be able to write all of them. With `If-Match` only if the team's `ETag`
/// matches.
pub async fn handle(app: App, request: Request<TeamManage, DeleteTeam>) -> Result<Reply<DeleteTeamResponse>> {
    let call = &request.call;
    let condition = request.head.if_match()?;
    let expected = request.body.and_then(|body| body.0.expected_history_head_ids);
    let history_heads = app
        .store
        .mutate(call, &request.path.target(), async |tx, team| {
            wire::check_if_match(condition.as_ref(), &answer(team))?;
            teams::delete(tx, team, call, expected.as_ref()).await
        })
        .await?;
    let removed_placements = history_heads.len();
    Ok(Reply::ok(DeleteTeamResponse {
        deleted: true,
        team_id: request.path.team_id,
        removed_placements,
        history_heads,
    }))
}
