//! Report the usage of a project.

use auth::actor::UsageRead;
use domain::Result;
use store::usage::report;
use wire::Request;

use crate::app::App;
use crate::routes::projects::ProjectPath;
use crate::routes::usage::{Answer, Query};

/// Reports the spending on a project in all its sessions.
pub async fn handle(app: App, request: Request<UsageRead, ProjectPath, Query>) -> Result<Answer> {
    let filter = request.query.filter()?;
    let read = app
        .store
        .read(&request.call, &request.path.project_id, async |tx, project| {
            report::of_project(tx, project, &filter).await
        })
        .await?;
    Ok(request.query.answer(read))
}
