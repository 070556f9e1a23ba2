//! Read a sprint's report.

use api::planning::sprints::{GetSprintReport, SprintReportResponse};
use auth::actor::TeamRead;
use domain::Result;
use store::planning::sprints::report;
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Reads a sprint's report: computed from the history of its cards, and frozen at its completion. The numbers count
/// every card; the lists contain those that the caller can read.
pub async fn handle(
    app: App,
    request: Request<TeamRead, GetSprintReport>,
) -> Result<TaggedReply<SprintReportResponse>> {
    let call = &request.call;
    let report = app
        .store
        .read(call, &request.path.target(), async |tx, sprint| report::get(tx, sprint, call).await)
        .await?;
    // The moment of the report alone is no change of it.
    let parts = [&report.scope_at_start, &report.added, &report.removed, &report.done, &report.carried_over];
    let etag = ETag::of_json(&(report.sprint_id, report.status, parts, &report.days))?.into_weak();
    Ok(Reply::ok(SprintReportResponse { report }).etag(etag))
}
