//! Report the usage of the caller's account.

use api::work::usage::GetUsage;
use auth::actor::UsageRead;
use domain::Result;
use store::Me;
use store::work::usage::report;
use wire::Request;

use crate::app::App;
use crate::routes::work::usage::{self, Answer};

/// Reports the spending of the caller's own account on its projects, by all users, deleted projects included. A
/// confined key sees only the spending on its projects.
pub async fn handle(app: App, request: Request<UsageRead, GetUsage>) -> Result<Answer> {
    let filter = usage::filter(&request.query)?;
    let read = app.store.read(&request.call, &Me, async |tx, me| report::of_account(tx, me, &filter).await);
    Ok(Answer { report: read.await?, format: request.query.format })
}
