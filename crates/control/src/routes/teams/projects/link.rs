//! Link a project to a team.

use auth::actor::TeamWrite;
use domain::Result;
use domain::team::LinkedProject;
use schemars::JsonSchema;
use serde::Serialize;
use store::teams::projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::teams::projects::TeamProjectPath;

/// The linked project.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkProjectResponse")]
pub struct Answer {
    project: LinkedProject,
}

/// Links a project of the same organization, whose cards the caller can write, to a team. A repeat changes nothing.
pub async fn handle(app: App, request: Request<TeamWrite, TeamProjectPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let project = app
        .store
        .mutate(call, &request.path.target(), async |tx, at| projects::link(tx, at, call).await)
        .await?;
    Ok(Reply::ok(Answer { project }))
}
