//! Read a project's audit log.

use api::people::audit::GetProjectAudit;
use auth::actor::ProjectManage;
use domain::Result;
use store::people::audit_log;
use wire::Request;

use crate::app::App;
use crate::routes::people::audit::{self, Answer};

/// Reads who changed the project and what belongs to it, and who was refused; newest first. An entry appears within a
/// second of its request.
pub async fn handle(app: App, request: Request<ProjectManage, GetProjectAudit>) -> Result<Answer> {
    let at = request.path.project_id;
    let (filter, page) = audit::page(request.query, &app, at.project.to_string())?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, project| audit_log::of_project(tx, project, &filter).await)
        .await?;
    audit::answer(&page, found)
}
