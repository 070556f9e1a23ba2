//! Delete a planned sprint.

use auth::actor::TeamWrite;
use domain::Result;
use domain::id::SprintId;
use schemars::JsonSchema;
use serde::Serialize;
use store::sprints;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::sprints::{SprintAnswer, SprintPath};

/// The result of the deletion.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteSprintResponse")]
pub struct Answer {
    deleted: bool,
    sprint_id: SprintId,
    /// Number of its cards, which are now in no sprint.
    moved_cards: usize,
}

/// Deletes a planned sprint. Its cards move to the backlog, so the caller must be able to write each of them.
pub async fn handle(app: App, request: Request<TeamWrite, SprintPath>) -> Result<Reply<Answer>> {
    let expected = request.head.if_match()?;
    let call = &request.call;
    let moved_cards = app
        .store
        .mutate(call, &request.path.target(), async |tx, sprint| {
            wire::check_if_match(expected.as_ref(), &SprintAnswer::of(sprint))?;
            sprints::delete(tx, sprint, call).await
        })
        .await?;
    Ok(Reply::ok(Answer { deleted: true, sprint_id: request.path.sprint_id, moved_cards }))
}
