//! Read what a sprint came to.

use auth::actor::TeamRead;
use domain::Result;
use store::sprints::report;
use wire::{Reply, Request, Tagged};

use crate::app::App;
use crate::routes::sprints::{ReportAnswer, SprintPath};

/// Reads a sprint's report: from the history of its cards until it is completed, and as it was then for good. The numbers
/// count every card; the lists name those that the caller can read.
pub async fn handle(app: App, request: Request<TeamRead, SprintPath>) -> Result<Tagged<ReportAnswer>> {
    let call = &request.call;
    let report = app
        .store
        .read(call, &request.path.target(), async |tx, sprint| report::get(tx, sprint, call).await)
        .await?;
    Ok(Reply::ok(ReportAnswer { report }).etag_of_body())
}
