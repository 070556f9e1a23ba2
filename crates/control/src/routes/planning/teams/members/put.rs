//! Make a member of the organization a member of a team, or give the team's member another role.

use api::planning::teams::members::{PutTeamMember, TeamMemberResponse};
use auth::actor::BrowserTeamManage;
use domain::Result;
use store::people::members::of_teams;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Makes a member of the organization a member of the team.
pub async fn handle(
    app: App,
    request: Request<BrowserTeamManage, PutTeamMember>,
) -> Result<Reply<TeamMemberResponse>> {
    let (call, user, role) = (&request.call, request.path.member_id, request.body.0.role);
    let set = async |tx: &mut _, team: &_| of_teams::set(tx, team, call, user, role).await;
    let member = app.store.mutate(call, &request.path.target(), set).await?;
    Ok(Reply::ok(TeamMemberResponse { member }))
}
