//! Read a team's board, as it is or as it was.

use api::planning::boards::{GetBoard, GetBoardQuery, GetBoardResponse};
use auth::actor::TeamRead;
use domain::Result;
use domain::planning::past::PastMoment;
use domain::time::Timestamp;
use store::planning::boards::BoardFilter;
use store::planning::past;
use store::{Call, TeamRef};
use wire::{ETag, KeptJson, Request, TaggedReply};

use crate::app::App;
use crate::routes::planning::boards::current::{current_board, filter_of};
use crate::routes::target::PathTarget;

/// Reads a whole board: the team's columns in order, each with its cards in order. Cards that the caller can't read are
/// omitted, from the counts too.
pub async fn handle(app: App, request: Request<TeamRead, GetBoard>) -> Result<TaggedReply<GetBoardResponse>> {
    let (call, team) = (&request.call, request.path.target());
    let GetBoardQuery { sprint_id, project_id, assignee_id, at } = request.query;
    let filter = filter_of((sprint_id, project_id, assignee_id), call.actor.user);
    if let Some(at) = at {
        return past_board(&app, call, (team, at), &filter).await;
    }
    let (board, _) = current_board(&app, call, team, &filter).await?;
    Ok(TaggedReply::kept(board.json, board.tag))
}

/// Reads the board as it was. Nobody asks for the same moment often enough to keep the answer.
async fn past_board(
    app: &App,
    call: &Call<TeamRead>,
    (team, at): (TeamRef, Timestamp),
    filter: &BoardFilter,
) -> Result<TaggedReply<GetBoardResponse>> {
    let at = PastMoment::new(at, call.now)?;
    let read =
        app.store.read(call, &team, async |tx, team| past::boards::get(tx, team, call, filter, at).await);
    let board = read.await?;
    let json = KeptJson::of(&GetBoardResponse { board })?;
    let tag = ETag::of_bytes(json.as_bytes());
    Ok(TaggedReply::kept(json, tag))
}
