//! Read a status column.

use api::planning::teams::statuses::{GetStatus, StatusResponse};
use auth::actor::TeamRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Reads a column.
pub async fn handle(app: App, request: Request<TeamRead, GetStatus>) -> Result<TaggedReply<StatusResponse>> {
    let status = app.store.find(&request.call, &request.path.target()).await?;
    Ok(Reply::ok(StatusResponse { status: status.record }).etag_of_body())
}
