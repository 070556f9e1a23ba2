//! Sprints of a team: list, create, change, delete, start. What one came to is `report`, and how it ends `completion`.

pub mod completion;
pub mod report;

use auth::actor::{TeamRead, TeamWrite};
use domain::history::Sequence;
use domain::id::{SprintId, TeamId};
use domain::sprint::{Period, SprintRecord, SprintStatus};
use domain::text::{Description, Name};
use domain::time::DateOrTime;
use domain::{Code, Error, Result};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::rows::sprint::SprintRow;
use crate::access::sprint::Sprint;
use crate::access::team::Team;
use crate::db::prelude::*;
use crate::db::schema::sprints;
use crate::resources::cards::relocation::{self, Destination};
use crate::resources::store::Tx;

/// A sprint to be created.
#[derive(Clone, Debug)]
pub struct NewSprint {
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// When it begins and ends.
    pub period: Period,
}

/// What to change about a sprint; `None` leaves alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SprintChanges {
    /// Name.
    pub name: Option<Name>,
    /// Description.
    pub description: Option<Description>,
    /// When it begins; `Some(None)` clears.
    pub start: Option<Option<DateOrTime>>,
    /// When it ends; `Some(None)` clears.
    pub end: Option<Option<DateOrTime>>,
}

/// How to start a sprint.
#[derive(Clone, Copy, Debug, Default)]
pub struct SprintStart {
    /// When it begins, where that changes.
    pub start: Option<DateOrTime>,
    /// When it ends, where that changes.
    pub end: Option<DateOrTime>,
    /// Whether others may be active.
    pub allow_concurrent: bool,
}

/// Which sprints of a team to list.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SprintFilter {
    /// Only those that are this far.
    pub status: Option<SprintStatus>,
}

/// The team's sprints that a filter leaves, newest first, from before `before`.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    team: &Team<TeamRead>,
    filter: SprintFilter,
    before: Option<SprintId>,
    rows: u32,
) -> Result<Vec<SprintRecord>> {
    let mut found = sprints::table.filter(sprints::team_id.eq(team.id().0)).into_boxed();
    if let Some(status) = filter.status {
        found = found.filter(sprints::status.eq(status.as_str()));
    }
    if let Some(before) = before {
        found = found.filter(sprints::id.lt(before.0));
    }
    let rows: Vec<SprintRow> = found
        .order(sprints::id.desc())
        .limit(i64::from(rows))
        .select(SprintRow::as_select())
        .load(tx)
        .await?;
    rows.into_iter().map(SprintRow::record).collect()
}

/// Creates a planned sprint.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn create(
    tx: &mut Tx,
    team: &Team<TeamWrite>,
    call: &Call<TeamWrite>,
    new: &NewSprint,
) -> Result<SprintRecord> {
    let record = SprintRecord {
        id: SprintId::new(call.now),
        name: new.name.clone(),
        description: new.description.clone(),
        status: SprintStatus::Planned,
        created_at: call.now,
        start_date: new.period.start(),
        end_date: new.period.end(),
        team_id: team.id(),
    };
    diesel::insert_into(sprints::table).values(SprintRow::of(&record)).execute(tx).await?;
    Ok(record)
}

/// Changes a sprint that is not completed.
///
/// # Errors
/// `SPRINT_NOT_ACTIVE` where it is; `INVALID_REQUEST` where the dates don't fit, or an active one would have none.
pub async fn update(
    tx: &mut Tx,
    sprint: &Sprint<TeamWrite>,
    changes: &SprintChanges,
) -> Result<SprintRecord> {
    let before = &sprint.record;
    if before.status == SprintStatus::Completed {
        return Err(Error::new(Code::SprintNotActive, "The sprint is completed, and stays as it is."));
    }
    let start = changes.start.map_or(before.start_date, |date| date.map(DateOrTime::start));
    let end = changes.end.map_or(before.end_date, |date| date.map(DateOrTime::end));
    let period = Period::new(start, end)?;
    if before.status == SprintStatus::Active {
        period.both()?;
    }
    let after = SprintRecord {
        name: changes.name.clone().unwrap_or_else(|| before.name.clone()),
        description: changes.description.clone().unwrap_or_else(|| before.description.clone()),
        start_date: period.start(),
        end_date: period.end(),
        ..before.clone()
    };
    save(tx, &after).await?;
    Ok(after)
}

/// Deletes a planned sprint; its cards stay on the board, in no sprint. Returns how many.
///
/// # Errors
/// `SPRINT_NOT_PLANNED`; `FORBIDDEN` where the caller may not write one of the cards.
pub async fn delete(tx: &mut Tx, sprint: &Sprint<TeamWrite>, call: &Call<TeamWrite>) -> Result<usize> {
    require_planned(&sprint.record)?;
    let held = relocation::hold(tx, sprint).await?;
    let moved = relocation::carry(tx, call, held, Destination::Backlog).await?;
    let deleted = diesel::delete(sprints::table.find(sprint.id().0)).execute(tx).await?;
    if deleted == 1 { Ok(moved) } else { Err(Error::internal("a locked sprint is gone")) }
}

/// Starts a planned sprint (specification, "States and transitions"). Of several that are started at once and may not
/// be active together, one is.
///
/// # Errors
/// `INVALID_REQUEST` where a date is missing or they don't fit; `SPRINT_NOT_PLANNED`; `SPRINT_EMPTY`;
/// `SPRINT_ALREADY_ACTIVE`.
pub async fn start(
    tx: &mut Tx,
    sprint: &Sprint<TeamWrite>,
    call: &Call<TeamWrite>,
    how: SprintStart,
) -> Result<SprintRecord> {
    let before = &sprint.record;
    require_planned(before)?;
    let (start, end) = before.period()?.with(how.start, how.end)?.both()?;
    // A card that is being deleted has its last number drawn already: with all held, each row of theirs that there is was
    // committed, so that the cards and what is drawn belong together.
    if relocation::hold(tx, sprint).await?.is_empty() {
        return Err(Error::new(Code::SprintEmpty, "The sprint contains no card."));
    }
    if !how.allow_concurrent {
        refuse_other_active(tx, before.team_id).await?;
    }
    let after = SprintRecord {
        status: SprintStatus::Active,
        start_date: Some(start),
        end_date: Some(end),
        ..before.clone()
    };
    let drawn = last_drawn(tx).await?;
    let written = diesel::update(sprints::table.find(after.id.0))
        .set((
            SprintRow::of(&after),
            sprints::started_at.eq(call.now.0),
            sprints::started_sequence.eq(drawn.0),
        ))
        .execute(tx)
        .await?;
    if written == 1 { Ok(after) } else { Err(Error::internal("a locked sprint is gone")) }
}

/// The last number that anybody drew for the card history. No card goes into a sprint that is held or out of it, so
/// every such row that is there has at most this number, and every one that comes a greater.
async fn last_drawn(tx: &mut Tx) -> Result<Sequence> {
    #[derive(QueryableByName)]
    struct Drawn {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        last_value: i64,
    }
    let drawn: Drawn = crate::db::statement::Statement::new("select last_value from card_history_sequence")
        .get_result(tx)
        .await?;
    Ok(Sequence(drawn.last_value))
}

async fn refuse_other_active(tx: &mut Tx, team: TeamId) -> Result<()> {
    let active: Vec<Uuid> = sprints::table
        .filter(sprints::team_id.eq(team.0).and(sprints::status.eq(SprintStatus::Active.as_str())))
        .order(sprints::id)
        .select(sprints::id)
        .load(tx)
        .await?;
    if active.is_empty() {
        return Ok(());
    }
    Err(Error::new(Code::SprintAlreadyActive, "Another sprint of the team is active.")
        .with_details(json!({ "activeSprintIds": active })))
}

fn require_planned(sprint: &SprintRecord) -> Result<()> {
    if sprint.status == SprintStatus::Planned {
        return Ok(());
    }
    Err(Error::new(Code::SprintNotPlanned, "The sprint is not planned any more."))
}

async fn save(tx: &mut Tx, sprint: &SprintRecord) -> Result<()> {
    let written =
        diesel::update(sprints::table.find(sprint.id.0)).set(SprintRow::of(sprint)).execute(tx).await?;
    if written == 1 { Ok(()) } else { Err(Error::internal("a locked sprint is gone")) }
}
