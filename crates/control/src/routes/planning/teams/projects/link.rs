//! Link a project to a team.

use api::planning::teams::projects::{LinkProject, LinkProjectResponse};
use auth::actor::TeamWrite;
use domain::Result;
use store::planning::teams::projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Links a project of the same organization, whose cards the caller can write, to a team. A repeat changes nothing.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, LinkProject>,
) -> Result<Reply<LinkProjectResponse>> {
    let call = &request.call;
    let project = app
        .store
        .mutate(call, &request.path.target(), async |tx, at| projects::link(tx, at, call).await)
        .await?;
    Ok(Reply::ok(LinkProjectResponse { project }))
}
