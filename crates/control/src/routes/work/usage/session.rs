//! Report the usage of a session.

use api::work::usage::GetSessionUsage;
use auth::actor::UsageRead;
use domain::Result;
use store::work::usage::report;
use wire::Request;

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::usage::{self, Answer};

/// Reports the spending of a session, open or closed.
pub async fn handle(app: App, request: Request<UsageRead, GetSessionUsage>) -> Result<Answer> {
    let filter = usage::filter(&request.query)?;
    let at = request.path.target();
    let read = app
        .store
        .read(&request.call, &at, async |tx, session| report::of_session(tx, session, &filter).await)
        .await?;
    Ok(Answer { report: read, format: request.query.format })
}
