//! Read a team.

use api::planning::teams::{GetTeam, TeamResponse};
use auth::actor::TeamRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Reads a team.
pub async fn handle(app: App, request: Request<TeamRead, GetTeam>) -> Result<TaggedReply<TeamResponse>> {
    let team = app.store.find(&request.call, &request.path.target()).await?;
    Ok(Reply::ok(TeamResponse { team: team.record }).etag_of_body())
}
