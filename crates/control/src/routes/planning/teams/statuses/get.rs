//! Read a status column.

use api::planning::teams::statuses::{GetStatus, StatusResponse};
use auth::actor::TeamRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Reads a column.
pub async fn handle(app: App, request: Request<TeamRead, GetStatus>) -> Result<TaggedReply<StatusResponse>> {
    let status = app
        .store
        .read(&request.call, &request.path.target(), async |_, status| Ok(status.record.clone()))
        .await?;
    Ok(Reply::ok(StatusResponse { status }).etag_of_body())
}
