//! Sprints of an import. They are made as planned ones, and start once their cards are in them.

use auth::actor::{CardWrite, TeamWrite};
use database::prelude::*;
use database::schema::board_sources;
use domain::id::{OrganizationId, SprintId, TeamId};
use domain::planning::import::ImportNote;
use domain::planning::sprint::{SprintRecord, SprintStatus};
use domain::time::DateOrTime;
use domain::{Code, Error, Result};

use crate::access::Target;
use crate::access::call::Call;
use crate::access::sprint::{Sprint, SprintRef};
use crate::access::team::TeamRef;
use crate::resources::planning::imports::boards::{self, BoardSource};
use crate::resources::planning::imports::notes::{EMPTY, NEW_REPORT, NO_BOARD, board_note};
use crate::resources::planning::sprints::completion::{self, IncompleteCards};
use crate::resources::planning::sprints::{self, NewSprint, SprintStart};
use crate::resources::store::Tx;

/// Makes a sprint, unless an import made it before.
pub(super) async fn make(
    tx: &mut Tx,
    call: &Call<CardWrite>,
    (organization, exported): (OrganizationId, &SprintRecord),
) -> Result<Option<ImportNote>> {
    let call = call.also::<TeamWrite>()?;
    let Some(team) = boards::known(tx, organization, &call, exported.team_id).await? else {
        return Ok(Some(board_note("sprint", exported.name.as_str(), NO_BOARD)));
    };
    // The import of another project may be making it.
    team.hold(tx).await?;
    if boards::sources(tx, team.id()).await?.contains_key(&exported.id.0) {
        return Ok(None);
    }
    let new = NewSprint {
        name: exported.name.clone(),
        description: exported.description.clone(),
        start: exported.start_date.map(DateOrTime::Time),
        end: exported.end_date.map(DateOrTime::Time),
    };
    let made = sprints::create(tx, &team, &call, &new).await?;
    let pending = match exported.status {
        SprintStatus::Planned => None,
        SprintStatus::Active | SprintStatus::Completed => Some(exported.status.as_str().to_owned()),
    };
    let source = BoardSource { column: None, sprint: Some(made.id), pending_status: pending };
    boards::remember(tx, team.id(), exported.id.0, &source).await?;
    Ok(None)
}

/// Starts a sprint that an import made, and completes it if it was over. One without cards stays planned, until the
/// import of another project brings some.
pub(super) async fn settle(
    tx: &mut Tx,
    call: &Call<CardWrite>,
    (organization, exported): (OrganizationId, &SprintRecord),
) -> Result<Option<ImportNote>> {
    let call = call.also::<TeamWrite>()?;
    let Some(team) = boards::known(tx, organization, &call, exported.team_id).await? else {
        // A note on the sprint tells it.
        return Ok(None);
    };
    let mut sources = boards::sources(tx, team.id()).await?;
    let source = sources.remove(&exported.id.0);
    let Some(BoardSource { sprint: Some(sprint), pending_status: Some(pending), .. }) = source else {
        return Ok(None);
    };
    let at = SprintRef { team: TeamRef { organization, team: team.id() }, sprint };
    let planned: Sprint<TeamWrite> = at.resolve(tx, &call).await?;
    let note = |reason| Some(board_note("sprint", exported.name.as_str(), reason));
    let is_planned = planned.record.status == SprintStatus::Planned;
    if is_planned {
        let how = SprintStart { allow_concurrent: true, ..SprintStart::default() };
        match sprints::start(tx, &planned, &call, how).await {
            Ok(_) => {}
            Err(error) if error.code == Code::SprintEmpty => {
                return Ok(note(EMPTY));
            }
            // People have taken a date from it meanwhile.
            Err(error) if error.code == Code::InvalidRequest => return Ok(None),
            Err(error) => return Err(error),
        }
        if pending == SprintStatus::Completed.as_str() {
            let active: Sprint<TeamWrite> = at.resolve(tx, &call).await?;
            completion::complete(tx, &active, &call, &IncompleteCards::Keep).await?;
        }
    }
    end_pending(tx, team.id(), exported.id).await?;
    Ok(note(NEW_REPORT).filter(|_| is_planned))
}

async fn end_pending(tx: &mut Tx, team: TeamId, source: SprintId) -> Result<()> {
    let written = diesel::update(board_sources::table.find((team.0, source.0)))
        .set(board_sources::pending_status.eq(None::<String>))
        .execute(tx)
        .await?;
    if written == 1 { Ok(()) } else { Err(Error::internal("the source of a held sprint is gone")) }
}
