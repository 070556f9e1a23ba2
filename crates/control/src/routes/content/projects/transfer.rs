//! Give a project another owner.

use api::content::projects::{ProjectResponse, TransferProject};
use auth::actor::BrowserProjectManage;
use domain::Result;
use store::content::projects::transfer::transfer;
use wire::{Reply, Request};

use crate::app::App;

/// Transfers a project between users and organizations.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, TransferProject>,
) -> Result<Reply<ProjectResponse>> {
    let (call, to, limit) = (&request.call, request.body.0.owner_id, app.project_limit);
    let give = async |tx: &mut _, project: &_| transfer(tx, project, call, to, limit).await;
    let (project, closed) = app.store.mutate(call, &request.path.project_id, give).await?;
    app.release_sessions(closed).await;
    Ok(Reply::ok(ProjectResponse { project }))
}
