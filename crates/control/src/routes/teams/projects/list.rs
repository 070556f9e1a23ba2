//! List the projects that are linked to a team.

use auth::actor::TeamRead;
use domain::Result;
use domain::team::LinkedProject;
use schemars::JsonSchema;
use serde::Serialize;
use store::teams::projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::teams::TeamPath;

/// Linked projects, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListTeamProjectsResponse")]
pub struct Answer {
    projects: Vec<LinkedProject>,
}

/// Lists the projects linked to a team that the caller may read, by name.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let projects = app
        .store
        .read(call, &request.path.target(), async |tx, team| projects::list(tx, team, call).await)
        .await?;
    Ok(Reply::ok(Answer { projects }))
}
