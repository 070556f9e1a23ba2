//! Read a sprint.

use api::planning::sprints::{GetSprint, SprintResponse};
use auth::actor::TeamRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Reads a sprint.
pub async fn handle(app: App, request: Request<TeamRead, GetSprint>) -> Result<TaggedReply<SprintResponse>> {
    let sprint = app.store.find(&request.call, &request.path.target()).await?;
    Ok(Reply::ok(SprintResponse { sprint: sprint.record }).etag_of_body())
}
