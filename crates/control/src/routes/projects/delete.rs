//! Delete a project with everything in it.

use auth::actor::ProjectManage;
use domain::Result;
use domain::id::ProjectId;
use schemars::JsonSchema;
use serde::Serialize;
use store::projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::projects::{ProjectAnswer, ProjectPath};

/// The result of the deletion.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteProjectResponse")]
pub struct Answer {
    deleted: bool,
    project_id: ProjectId,
}

/// Deletes a project with its content, its sessions and its files.
pub async fn handle(app: App, request: Request<ProjectManage, ProjectPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let at = &request.path.project_id;
    let expected = request.head.if_match()?;
    let condition = |project| wire::check_if_match(expected.as_ref(), &ProjectAnswer { project });
    let sessions = app
        .store
        .mutate(call, at, async |tx, project| projects::delete(tx, project, call, condition).await)
        .await?;
    app.release_sessions(sessions).await;
    Ok(Reply::ok(Answer { deleted: true, project_id: at.project }))
}
