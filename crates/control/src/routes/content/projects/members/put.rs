//! Make a user a member of a project, or give the member another role.

use api::content::projects::members::{ProjectMemberResponse, PutProjectMember};
use auth::actor::BrowserProjectManage;
use domain::Result;
use store::people::members::of_projects;
use wire::{Reply, Request};

use crate::app::App;

/// Shares a project with a user whom the caller knows from an organization.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, PutProjectMember>,
) -> Result<Reply<ProjectMemberResponse>> {
    let (call, user, role) = (&request.call, request.path.member_id, request.body.0.role);
    let set = async |tx: &mut _, project: &_| of_projects::set(tx, project, call, user, role).await;
    let member = app.store.mutate(call, &request.path.project_id, set).await?;
    Ok(Reply::ok(ProjectMemberResponse { member }))
}
