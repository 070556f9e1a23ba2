//! End a membership of a team.

use api::people::organizations::RemovedMemberResponse;
use api::planning::teams::members::RemoveTeamMember;
use auth::actor::BrowserOnly;
use domain::Result;
use store::people::members::of_teams;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Ends a membership of the team, the caller's own or that of another.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, RemoveTeamMember>,
) -> Result<Reply<RemovedMemberResponse>> {
    let (call, user_id) = (&request.call, request.path.member_id);
    let remove = async |tx: &mut _, team: &_| of_teams::remove(tx, team, call, user_id).await;
    app.store.mutate(call, &request.path.target(), remove).await?;
    Ok(Reply::ok(RemovedMemberResponse { removed: true, user_id }))
}
