//! Read what changed on a board since a revision: the difference of two whole answers, so that it can't miss a change.

use std::sync::Arc;

use api::planning::boards::{GetBoardChanges, GetBoardChangesQuery, GetBoardChangesResponse};
use auth::actor::TeamRead;
use domain::planning::board::changes::BoardRevision;
use domain::{Error, Result};
use wire::{ETag, KeptJson, Reply, Request, aside};

use crate::app::App;
use crate::routes::planning::boards::current::{current_board, filter_of};
use crate::routes::planning::boards::difference::difference;
use crate::routes::target::PathTarget;

/// Compares the board with the kept answer of the revision. Without that, the changes are those of an empty board.
pub async fn handle(
    app: App,
    request: Request<TeamRead, GetBoardChanges>,
) -> Result<Reply<GetBoardChangesResponse>> {
    let (call, team) = (&request.call, request.path.target());
    let GetBoardChangesQuery { since, sprint_id, project_id, assignee_id } = request.query;
    let filter = filter_of((sprint_id, project_id, assignee_id), call.actor.user);
    let (board, sight) = current_board(&app, call, team, &filter).await?;
    let boards = app.kept.boards.clone();
    let work = move || {
        let since = since.map(|revision| ETag::strong(revision.as_str()));
        let before = since.as_ref().and_then(|since| boards.of_tag(&sight, since));
        let make = || {
            let revision: BoardRevision = board.tag.as_str().parse().map_err(Error::internal)?;
            difference(before.as_ref().map(KeptJson::as_bytes), board.json.as_bytes(), revision)
        };
        boards.changes(&sight, (since.as_ref().filter(|_| before.is_some()), &board.tag), make)
    };
    let changes = aside::run(work).await??;
    Ok(Reply::ok(GetBoardChangesResponse { changes: Arc::unwrap_or_clone(changes) }))
}
