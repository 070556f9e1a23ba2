//! Report the usage of a project.

use api::work::usage::GetProjectUsage;
use auth::actor::UsageRead;
use domain::Result;
use store::work::usage::report;
use wire::Request;

use crate::app::App;
use crate::routes::work::usage::{self, Answer};

/// Reports the spending on a project in all its sessions.
pub async fn handle(app: App, request: Request<UsageRead, GetProjectUsage>) -> Result<Answer> {
    let filter = usage::filter(&request.query)?;
    let read = app
        .store
        .read(&request.call, &request.path.project_id, async |tx, project| {
            report::of_project(tx, project, &filter).await
        })
        .await?;
    Ok(Answer { report: read, format: request.query.format })
}
