//! End a membership of a project.

use api::content::projects::members::RemoveProjectMember;
use api::people::organizations::RemovedMemberResponse;
use auth::actor::BrowserOnly;
use domain::Result;
use store::people::members::of_projects;
use wire::{Reply, Request};

use crate::app::App;

/// Ends a membership of the project itself, the caller's own or that of another.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, RemoveProjectMember>,
) -> Result<Reply<RemovedMemberResponse>> {
    let (call, user_id) = (&request.call, request.path.member_id);
    let remove = async |tx: &mut _, project: &_| of_projects::remove(tx, project, call, user_id).await;
    let closed = app.store.mutate(call, &request.path.project_id, remove).await?;
    app.release_sessions(closed).await;
    Ok(Reply::ok(RemovedMemberResponse { removed: true, user_id }))
}
