//! List the users with a role on a project.

use api::content::projects::members::{ListProjectMembers, ListProjectMembersResponse};
use auth::actor::CardRead;
use domain::Result;
use store::people::members::of_projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::MemberPage;

/// Lists the users to whom the project's cards can be assigned: its owner, its members, and those of its organization.
pub async fn handle(
    app: App,
    request: Request<CardRead, ListProjectMembers>,
) -> Result<Reply<ListProjectMembersResponse>> {
    let at = &request.path.project_id;
    let page = MemberPage::open(request.query, &app.cursors, ("projectMembers", at.project))?;
    let list = async |tx: &mut _, project: &_| of_projects::list(tx, project, &page.filter()).await;
    let found = app.store.read(&request.call, at, list).await?;
    let (members, meta) = page.cut(found, |member| member.user_id)?;
    Ok(Reply::ok(ListProjectMembersResponse { members, meta }))
}
