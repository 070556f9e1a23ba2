//! Read a team's board, as it is or as it was.

use api::planning::boards::{GetBoard, GetBoardQuery, GetBoardResponse};
use auth::actor::TeamRead;
use domain::Result;
use domain::id::UserId;
use domain::planning::past::PastMoment;
use domain::time::Timestamp;
use store::planning::boards::{self, BoardFilter, revision};
use store::planning::past;
use store::{Call, LinkedTeam, LinkedTeamRef, TeamRef, Tx};
use wire::{ETag, KeptJson, Request, TaggedReply};

use crate::app::App;
use crate::kept::KeptBoard;
use crate::routes::target::PathTarget;

/// Reads a whole board: the team's columns in order, each with its cards in order. Cards that the caller can't read are
/// omitted, from the counts too.
pub async fn handle(app: App, request: Request<TeamRead, GetBoard>) -> Result<TaggedReply<GetBoardResponse>> {
    let (call, team) = (&request.call, request.path.target());
    let at = request.query.at;
    let filter = filter(request.query, call.actor.user);
    if let Some(at) = at {
        return past_board(&app, call, (team, at), &filter).await;
    }
    let (found, revision) = app.store.find_board(call, team).await?;
    let sight = revision.as_ref().map(|revision| revision::sight(&found, &filter, revision)).transpose()?;
    if let Some(kept) = sight.as_ref().and_then(|sight| app.kept.boards.get(sight))
        && kept.others.seen_by(&app.store, call).await? == kept.others
    {
        return Ok(TaggedReply::kept(kept.json.clone(), kept.tag.clone()));
    }
    let read = async |tx: &mut Tx, at: &LinkedTeam<TeamRead>| {
        let (board, others) = boards::get(tx, at, call, &filter).await?;
        let sight = revision.as_ref().map(|revision| revision::sight(at, &filter, revision)).transpose()?;
        Ok((board, others, sight))
    };
    let (board, others, sight) = app.store.read(call, &LinkedTeamRef(team), read).await?;
    let json = KeptJson::of(&GetBoardResponse { board })?;
    let kept = KeptBoard { tag: ETag::of_bytes(json.as_bytes()), json, others };
    let reply = TaggedReply::kept(kept.json.clone(), kept.tag.clone());
    if let Some(sight) = sight {
        app.kept.boards.insert(sight, kept);
    }
    Ok(reply)
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

/// The filter that a query of `caller` describes.
fn filter(query: GetBoardQuery, caller: UserId) -> BoardFilter {
    let assignees = query.assignee_id.map(|terms| terms.0).unwrap_or_default();
    BoardFilter {
        sprints: query.sprint_id.map(|terms| terms.0).unwrap_or_default().map(|sprint| sprint.0),
        projects: query.project_id.map(|terms| terms.0).unwrap_or_default(),
        assignees: assignees.map(|assignee| assignee.0.map(|user| user.of(caller))),
    }
}
