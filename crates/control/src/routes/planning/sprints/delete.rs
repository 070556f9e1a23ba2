//! Delete a planned sprint.

use api::planning::sprints::{DeleteSprint, DeleteSprintResponse};
use auth::actor::TeamWrite;
use domain::Result;
use store::planning::sprints;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::sprints::answer;
use crate::routes::target::PathTarget;

/// Deletes a planned sprint. Its cards move to the backlog, so the caller must be able to write each of them.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, DeleteSprint>,
) -> Result<Reply<DeleteSprintResponse>> {
    let expected = request.head.if_match()?;
    let call = &request.call;
    let moved_cards = app
        .store
        .mutate(call, &request.path.target(), async |tx, sprint| {
            wire::check_if_match(expected.as_ref(), &answer(sprint))?;
            sprints::delete(tx, sprint, call).await
        })
        .await?;
    Ok(Reply::ok(DeleteSprintResponse { deleted: true, sprint_id: request.path.sprint_id, moved_cards }))
}
