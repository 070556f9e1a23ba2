//! Read a team's board.

use api::planning::boards::{GetBoard, GetBoardQuery, GetBoardResponse};
use auth::actor::TeamRead;
use domain::error::Location;
use domain::id::SprintId;
use domain::{Error, Result, Rule};
use store::planning::boards::{self, BoardFilter, revision};
use store::{LinkedTeam, LinkedTeamRef, Tx};
use wire::{ETag, KeptJson, Request, TaggedReply};

use crate::app::App;
use crate::kept::KeptBoard;
use crate::routes::target::PathTarget;

/// Value of `sprintId` that selects cards without a sprint.
const NO_SPRINT: &str = "none";

/// Reads a whole board: the team's columns in order, each with its cards in order. Cards that the caller can't read are
/// omitted, from the counts too.
pub async fn handle(app: App, request: Request<TeamRead, GetBoard>) -> Result<TaggedReply<GetBoardResponse>> {
    let (call, team) = (&request.call, request.path.target());
    let filter = validate(request.query)?;
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
