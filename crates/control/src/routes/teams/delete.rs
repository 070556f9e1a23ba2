//! Delete a team for good.

use std::collections::BTreeMap;

use auth::actor::TeamManage;
use domain::Result;
use domain::id::{CardId, HistoryId, TeamId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::teams;
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::teams::{TeamAnswer, TeamPath};

/// The client's expectation; the body is optional.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "DeleteTeamRequest")]
pub struct Body {
    /// The last seen history head of every card on the team's board, by the card's id. Any difference refuses the
    /// deletion. Defaults to no comparison.
    expected_history_head_ids: Option<BTreeMap<CardId, HistoryId>>,
}

/// The result of the deletion.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteTeamResponse")]
pub struct Answer {
    deleted: bool,
    team_id: TeamId,
    /// Number of cards that were on its board.
    removed_placements: usize,
    /// Their latest history rows, by card id.
    history_heads: BTreeMap<CardId, HistoryId>,
}

/// Deletes a team with its columns, sprints, memberships, links and placements. The cards on its board remain, each
/// with a history row; the caller must be able to write all of them. With `If-Match` only if the team's `ETag`
/// matches.
pub async fn handle(
    app: App,
    request: Request<TeamManage, TeamPath, NoQuery, Option<Json<Body>>>,
) -> Result<Reply<Answer>> {
    let call = &request.call;
    let condition = request.head.if_match()?;
    let expected = request.body.and_then(|body| body.0.expected_history_head_ids);
    let history_heads = app
        .store
        .mutate(call, &request.path.target(), async |tx, team| {
            wire::check_if_match(condition.as_ref(), &TeamAnswer::of(team))?;
            teams::delete(tx, team, call, expected.as_ref()).await
        })
        .await?;
    let removed_placements = history_heads.len();
    Ok(Reply::ok(Answer { deleted: true, team_id: request.path.team_id, removed_placements, history_heads }))
}
