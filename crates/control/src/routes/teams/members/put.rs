//! Make a member of the organization a member of a team, or give the team's member another role.

use auth::actor::BrowserTeamManage;
use auth::role::TeamRole;
use domain::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use store::members::of_teams;
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::teams::members::{TeamMemberAnswer, TeamMemberPath};

/// The member's role.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PutTeamMemberRequest")]
pub struct Body {
    /// Role in the team.
    role: TeamRole,
}

/// Makes a member of the organization a member of the team.
pub async fn handle(
    app: App,
    request: Request<BrowserTeamManage, TeamMemberPath, NoQuery, Json<Body>>,
) -> Result<Reply<TeamMemberAnswer>> {
    let (call, user, role) = (&request.call, request.path.member_id, request.body.0.role);
    let set = async |tx: &mut _, team: &_| of_teams::set(tx, team, call, user, role).await;
    let member = app.store.mutate(call, &request.path.target(), set).await?;
    Ok(Reply::ok(TeamMemberAnswer { member }))
}
