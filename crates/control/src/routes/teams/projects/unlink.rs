//! End a project's link to a team.

use std::collections::BTreeMap;

use auth::actor::TeamWrite;
use domain::Result;
use domain::id::{CardId, HistoryId, ProjectId, TeamId};
use schemars::JsonSchema;
use serde::Serialize;
use store::teams::projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::teams::projects::TeamProjectPath;

/// The ended link.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UnlinkProjectResponse")]
pub struct Answer {
    deleted: bool,
    team_id: TeamId,
    project_id: ProjectId,
    /// Number of the project's cards that were on the team's board.
    removed_placements: usize,
    /// Their latest history rows, by card id.
    history_heads: BTreeMap<CardId, HistoryId>,
}

/// Ends a project's link to a team and removes its cards from the team's board, each with a history row.
pub async fn handle(app: App, request: Request<TeamWrite, TeamProjectPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let history_heads = app
        .store
        .mutate(call, &request.path.target(), async |tx, at| projects::unlink(tx, at, call).await)
        .await?;
    Ok(Reply::ok(Answer {
        deleted: true,
        team_id: request.path.team_id,
        project_id: request.path.project_id.project,
        removed_placements: history_heads.len(),
        history_heads,
    }))
}
