//! Read an organization's audit log.

use api::people::audit::GetOrganizationAudit;
use auth::actor::ProjectManage;
use domain::Result;
use store::people::audit_log;
use wire::Request;

use crate::app::App;
use crate::routes::people::audit::{self, Answer};

/// Reads who changed the organization, its teams and its projects, and who was refused; newest first. Only owners and
/// admins may. An entry appears within a second of its request.
pub async fn handle(app: App, request: Request<ProjectManage, GetOrganizationAudit>) -> Result<Answer> {
    let at = request.path.org_id;
    let (filter, page) = audit::page(request.query, &app, at.to_string())?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, found| audit_log::of_organization(tx, found, &filter).await)
        .await?;
    audit::answer(&page, found)
}
