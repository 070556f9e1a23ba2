//! List the users with a role on a project.

use auth::actor::CardRead;
use domain::Result;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::members::of_projects::{self, ProjectMember};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::MemberQuery;
use crate::routes::projects::ProjectPath;

/// A page of members, in the order of their ids.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListProjectMembersResponse")]
pub struct Answer {
    members: Vec<ProjectMember>,
    meta: PageMeta,
}

/// Lists the users to whom the project's cards can be assigned: its owner, its members, and those of its organization.
pub async fn handle(app: App, request: Request<CardRead, ProjectPath, MemberQuery>) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let page = request.query.open(&app.cursors, ("projectMembers", at.project))?;
    let list = async |tx: &mut _, project: &_| of_projects::list(tx, project, &page.filter()).await;
    let found = app.store.read(&request.call, at, list).await?;
    let (members, meta) = page.cut(found, |member| member.user_id)?;
    Ok(Reply::ok(Answer { members, meta }))
}
