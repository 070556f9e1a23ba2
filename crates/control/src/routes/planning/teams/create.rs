//! Create a team.

use api::planning::teams::{CreateTeam, CreateTeamRequest, TeamResponse};
use auth::actor::TeamWrite;
use domain::Result;
use domain::planning::team::ACTIVE;
use domain::text::Name;
use store::planning::teams::{self, NewTeam};
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;

/// Creates a team with the caller as its manager.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, CreateTeam>,
) -> Result<TaggedCreated<TeamResponse>> {
    let call = &request.call;
    let CreateTeamRequest { name, description, status, visibility, time_zone } = request.body.0;
    let new = NewTeam {
        name,
        description: description.unwrap_or_default(),
        status: status.map_or_else(|| Name::parse("status", ACTIVE), Ok)?,
        visibility: visibility.unwrap_or_default(),
        time_zone: time_zone.unwrap_or_default(),
    };
    let created = app
        .store
        .create(call, &request.path.org_id, async |tx, organization| {
            teams::create(tx, organization, call, &new).await
        })
        .await?;
    Ok(Reply::created(created.map(|team| TeamResponse { team })).etag_of_body())
}
