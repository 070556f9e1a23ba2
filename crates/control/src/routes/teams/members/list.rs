//! List the members of a team.

use auth::actor::TeamRead;
use domain::Result;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::members::of_teams::{self, TeamMember};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::MemberQuery;
use crate::routes::teams::TeamPath;

/// A page of members, in the order of their ids.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListTeamMembersResponse")]
pub struct Answer {
    members: Vec<TeamMember>,
    meta: PageMeta,
}

/// Lists the members of a team. The organization's admins manage the team without being listed.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath, MemberQuery>) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let page = request.query.open(&app.cursors, ("teamMembers", at.team))?;
    let list = async |tx: &mut _, team: &_| of_teams::list(tx, team, &page.filter()).await;
    let found = app.store.read(&request.call, &at, list).await?;
    let (members, meta) = page.cut(found, |member| member.user_id)?;
    Ok(Reply::ok(Answer { members, meta }))
}
