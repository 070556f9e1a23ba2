//! The board as a reader sees it now: kept, or read. `get` answers it, and `changes` compares it.

use api::planning::boards::GetBoardResponse;
use auth::actor::TeamRead;
use domain::Result;
use domain::id::UserId;
use domain::planning::card::{AssigneeTerms, ProjectTerms, SprintTerms};
use store::planning::boards::sight::BoardSight;
use store::planning::boards::{self, BoardFilter};
use store::{BoardRef, Call, LinkedTeam, LinkedTeamRef, TeamRef, Tx};
use wire::{ETag, KeptJson};

use crate::app::App;
use crate::kept::KeptBoard;

/// The board, and the sight with which it was answered. A board that is kept takes one statement.
///
/// # Errors
/// `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
pub async fn current_board(
    app: &App,
    call: &Call<TeamRead>,
    team: TeamRef,
    filter: &BoardFilter,
) -> Result<(KeptBoard, BoardSight)> {
    let found = app.store.find(call, &BoardRef(team)).await?;
    let sight = BoardSight::new(&found.team, filter, found.last_change)?;
    if let Some(kept) = app.kept.boards.current(&sight)
        && kept.others.seen_by(&app.store, call).await? == kept.others
    {
        return Ok((kept, sight));
    }
    // Before the board is read, which then has all changes up to the last one.
    let is_settled = app.store.is_settled(found.last_change).await?;
    let read = async |tx: &mut Tx, at: &LinkedTeam<TeamRead>| {
        let (board, others) = boards::get(tx, at, call, filter).await?;
        Ok((board, others, BoardSight::new(at, filter, found.last_change)?))
    };
    let (board, others, sight) = app.store.read(call, &LinkedTeamRef(team), read).await?;
    let json = KeptJson::of(&GetBoardResponse { board })?;
    let board = KeptBoard { tag: ETag::of_bytes(json.as_bytes()), json, others };
    app.kept.boards.insert(sight.clone(), &board, is_settled);
    Ok((board, sight))
}

/// The filter that the parameters of a query describe, for `caller`.
pub fn filter_of(
    (sprints, projects, assignees): (Option<SprintTerms>, Option<ProjectTerms>, Option<AssigneeTerms>),
    caller: UserId,
) -> BoardFilter {
    let assignees = assignees.map(|terms| terms.0).unwrap_or_default();
    BoardFilter {
        sprints: sprints.map(|terms| terms.0).unwrap_or_default().map(|sprint| sprint.0),
        projects: projects.map(|terms| terms.0).unwrap_or_default(),
        assignees: assignees.map(|assignee| assignee.0.map(|user| user.of(caller))),
    }
}
