//! List the projects that are linked to a team.

use auth::actor::TeamRead;
use domain::Result;
use domain::id::ProjectId;
use domain::page::PageMeta;
use domain::team::LinkedProject;
use schemars::JsonSchema;
use serde::Serialize;
use store::LinkedTeamRef;
use store::teams::projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{PageQuery, PageRequest};
use crate::routes::teams::TeamPath;

/// A page of linked projects, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListTeamProjectsResponse")]
pub struct Answer {
    projects: Vec<LinkedProject>,
    meta: PageMeta,
}

/// Lists the projects linked to a team that the caller can read, by name.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath, PageQuery>) -> Result<Reply<Answer>> {
    let (call, at) = (&request.call, request.path.target());
    let page: PageRequest<_, (String, ProjectId)> =
        request.query.open(&app.cursors, ("teamProjects", at.team))?;
    let found = app.store.read(call, &LinkedTeamRef(at), async |_, at| projects::list(at)).await?;
    // Byte order is independent of the database's collation; the position is compared here.
    let position = |project: &LinkedProject| (project.name.as_str().to_owned(), project.id);
    let (projects, meta) = page.cut_sorted(found, position)?;
    Ok(Reply::ok(Answer { projects, meta }))
}
