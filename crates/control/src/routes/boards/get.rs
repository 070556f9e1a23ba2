//! Read a team's board.

use auth::actor::TeamRead;
use domain::board::Board;
use domain::error::Location;
use domain::id::{ProjectId, SprintId, UserId};
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::LinkedTeamRef;
use store::boards::{self, BoardFilter};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::teams::TeamPath;

/// Value of `sprintId` that selects cards without a sprint.
const NO_SPRINT: &str = "none";

/// The filter of cards.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only cards in this sprint; `none` selects cards without a sprint.
    sprint_id: Option<String>,
    /// Only cards of this project.
    project_id: Option<ProjectId>,
    /// Only cards assigned to this user.
    assignee_id: Option<UserId>,
}

/// A board.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GetBoardResponse")]
pub struct Answer {
    board: Board,
}

/// Reads a whole board: the team's columns in order, each with its cards in order. Cards that the caller can't read are
/// omitted, from the counts too.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath, Query>) -> Result<TaggedReply<Answer>> {
    let call = &request.call;
    let filter = request.query.validate()?;
    let board = app
        .store
        .read(call, &LinkedTeamRef(request.path.target()), async |tx, at| {
            boards::get(tx, at, call, &filter).await
        })
        .await?;
    Ok(Reply::ok(Answer { board }).etag_of_body())
}

impl Query {
    fn validate(self) -> Result<BoardFilter> {
        let sprint = match self.sprint_id.as_deref() {
            None => None,
            Some(NO_SPRINT) => Some(None),
            Some(id) => {
                let id: Result<SprintId, _> = id.parse();
                let invalid = |_| {
                    Error::invalid(
                        "sprintId",
                        Rule::format("sprint-filter"),
                        "must be a sprint's id, or `none`",
                    )
                    .at(Location::Query)
                };
                Some(Some(id.map_err(invalid)?))
            }
        };
        Ok(BoardFilter { sprint, project: self.project_id, assignee: self.assignee_id })
    }
}
