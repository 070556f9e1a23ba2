//! List the projects that are linked to a team.

use api::planning::teams::projects::{ListTeamProjects, ListTeamProjectsResponse};
use auth::actor::TeamRead;
use domain::Result;
use domain::id::ProjectId;
use domain::planning::team::LinkedProject;
use store::LinkedTeamRef;
use store::planning::teams::projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::target::PathTarget;

/// Lists the projects linked to a team that the caller can read, by name.
pub async fn handle(
    app: App,
    request: Request<TeamRead, ListTeamProjects>,
) -> Result<Reply<ListTeamProjectsResponse>> {
    let (call, at) = (&request.call, request.path.target());
    let page: PageRequest<_, (String, ProjectId)> =
        PageRequest::of(request.query, &app.cursors, ("teamProjects", at.team))?;
    let found = projects::list(&app.store.find(call, &LinkedTeamRef(at)).await?)?;
    // Byte order is independent of the database's collation; the position is compared here.
    let position = |project: &LinkedProject| (project.name.as_str().to_owned(), project.id);
    let (projects, meta) = page.cut_sorted(found, position)?;
    Ok(Reply::ok(ListTeamProjectsResponse { projects, meta }))
}
