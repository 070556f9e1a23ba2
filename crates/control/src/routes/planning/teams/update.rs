//! Change a team. A merge patch: absent fields stay, and `null` clears.

use api::planning::teams::{TeamResponse, UpdateTeam, UpdateTeamRequest};
use auth::actor::TeamManage;
use domain::planning::team::{ACTIVE, TeamVisibility};
use domain::text::{Description, Name};
use domain::time::Zone;
use domain::{Result, patch};
use store::planning::teams::{self, TeamChanges};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::planning::teams::answer;
use crate::routes::target::PathTarget;

/// Changes a team's own fields. With `If-Match` only if its `ETag` matches.
pub async fn handle(app: App, request: Request<TeamManage, UpdateTeam>) -> Result<TaggedReply<TeamResponse>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let changes = validate(request.body.0)?;
    let team = app
        .store
        .mutate(call, &request.path.target(), async |tx, team| {
            wire::check_if_match(expected.as_ref(), &answer(team))?;
            teams::update(tx, team, call, &changes).await
        })
        .await?;
    Ok(Reply::ok(TeamResponse { team }).etag_of_body())
}

fn validate(body: UpdateTeamRequest) -> Result<TeamChanges> {
    patch::not_empty(TeamChanges {
        name: body.name.not_cleared("name")?,
        description: body.description.or_cleared(Description::default()),
        status: body.status.or_cleared(Name::parse("status", ACTIVE)?),
        visibility: body.visibility.or_cleared(TeamVisibility::default()),
        time_zone: body.time_zone.or_cleared(Zone::default()),
    })
}
