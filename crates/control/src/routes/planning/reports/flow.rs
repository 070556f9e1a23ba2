//! Read a project's flow report.

use api::planning::reports::GetFlowReport;
use auth::actor::CardRead;
use domain::Result;
use domain::error::Location;
use domain::planning::flow::FlowReport;
use store::planning::reports::flow;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::reports::choices;

/// Computes a project's flow report. A team that the caller doesn't see has a board without columns and cards.
pub async fn handle(app: App, request: Request<CardRead, GetFlowReport>) -> Result<Reply<FlowReport>> {
    let (call, query) = (&request.call, choices(request.query));
    let report = app
        .store
        .read(call, &request.path.project_id, async |tx, project| flow::read(tx, project, call, &query).await)
        .await;
    Ok(Reply::ok(report.map_err(|error| error.or_at(Location::Query))?))
}
