//! Read a team's board.

use api::planning::boards::{GetBoard, GetBoardQuery, GetBoardResponse};
use auth::actor::TeamRead;
use domain::error::Location;
use domain::id::SprintId;
use domain::{Error, Result, Rule};
use store::LinkedTeamRef;
use store::planning::boards::{self, BoardFilter};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Value of `sprintId` that selects cards without a sprint.
const NO_SPRINT: &str = "none";

/// Reads a whole board: the team's columns in order, each with its cards in order. Cards that the caller can't read are
/// omitted, from the counts too.
pub async fn handle(app: App, request: Request<TeamRead, GetBoard>) -> Result<TaggedReply<GetBoardResponse>> {
    let call = &request.call;
    let filter = validate(request.query)?;
    let board = app
        .store
        .read(call, &LinkedTeamRef(request.path.target()), async |tx, at| {
            boards::get(tx, at, call, &filter).await
        })
        .await?;
    Ok(Reply::ok(GetBoardResponse { board }).etag_of_body())
}

fn validate(query: GetBoardQuery) -> Result<BoardFilter> {
    let sprint = match query.sprint_id.as_deref() {
        None => None,
        Some(NO_SPRINT) => Some(None),
        Some(id) => {
            let id: Result<SprintId, _> = id.parse();
            let invalid = |_| {
                Error::invalid("sprintId", Rule::format("sprint-filter"), "must be a sprint's id, or `none`")
                    .at(Location::Query)
            };
            Some(Some(id.map_err(invalid)?))
        }
    };
    Ok(BoardFilter { sprint, project: query.project_id, assignee: query.assignee_id })
}
