//! List the members of a team.

use api::planning::teams::members::{ListTeamMembers, ListTeamMembersResponse};
use auth::actor::TeamRead;
use domain::Result;
use store::people::members::of_teams;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::MemberPage;
use crate::routes::target::PathTarget;

/// Lists the members of a team. The organization's admins manage the team without being listed.
pub async fn handle(
    app: App,
    request: Request<TeamRead, ListTeamMembers>,
) -> Result<Reply<ListTeamMembersResponse>> {
    let at = request.path.target();
    let page = MemberPage::open(request.query, &app.cursors, ("teamMembers", at.team))?;
    let list = async |tx: &mut _, team: &_| of_teams::list(tx, team, &page.filter()).await;
    let found = app.store.read(&request.call, &at, list).await?;
    let (members, meta) = page.cut(found, |member| member.user_id)?;
    Ok(Reply::ok(ListTeamMembersResponse { members, meta }))
}
