//! Read a team.

use auth::actor::TeamRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::teams::{TeamAnswer, TeamPath};

/// Reads a team.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath>) -> Result<TaggedReply<TeamAnswer>> {
    let team = app
        .store
        .read(&request.call, &request.path.target(), async |_, team| Ok(team.record.clone()))
        .await?;
    Ok(Reply::ok(TeamAnswer { team }).etag_of_body())
}
