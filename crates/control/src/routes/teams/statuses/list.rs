//! List the status columns of a team's board.

use auth::actor::TeamRead;
use domain::Result;
use domain::status::StatusRecord;
use schemars::JsonSchema;
use serde::Serialize;
use store::teams::statuses;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::teams::TeamPath;

/// Columns, in their order.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListStatusesResponse")]
pub struct Answer {
    statuses: Vec<StatusRecord>,
}

/// Lists a team's columns, in their order.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath>) -> Result<Reply<Answer>> {
    let statuses = app
        .store
        .read(&request.call, &request.path.target(), async |tx, team| statuses::list(tx, team).await)
        .await?;
    Ok(Reply::ok(Answer { statuses }))
}
