//! Sprints of a team: list, create, change, delete, start. `report` has their results, `completion` their end, `departure` the
//! end of their cards' projects.

pub mod completion;
pub(crate) mod departure;
pub mod report;

use auth::actor::{TeamRead, TeamWrite};
use database::prelude::*;
use database::schema::sprints;
use domain::event::change::ChangeData;
use domain::event::change::data::SprintEventData;
use domain::id::{SprintId, TeamId};
use domain::planning::history::Sequence;
use domain::planning::sprint::{Period, SprintRecord, SprintStatus};
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
use crate::resources::outbox::{NewChangeEvent, changed_fields};
use crate::resources::planning::cards::relocation::{self, Destination};
use crate::resources::store::Tx;

/// A sprint to be created.
#[derive(Clone, Debug)]
pub struct NewSprint {
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// First day.
    pub start: Option<DateOrTime>,
    /// Last day.
    pub end: Option<DateOrTime>,
}

/// Changes of a sprint. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SprintChanges {
    /// Name.
    pub name: Option<Name>,
    /// Description.
    pub description: Option<Description>,
    /// First day; `Some(None)` clears it.
    pub start: Option<Option<DateOrTime>>,
    /// Last day; `Some(None)` clears it.
    pub end: Option<Option<DateOrTime>>,
}

/// The options of a sprint's start.
#[derive(Clone, Copy, Debug, Default)]
pub struct SprintStart {
    /// A new first day.
    pub start: Option<DateOrTime>,
    /// A new last day.
    pub end: Option<DateOrTime>,
    /// Permit other active sprints.
    pub allow_concurrent: bool,
}

/// The sprints of a team to list.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SprintFilter {
    /// Only those with this status.
    pub status: Option<SprintStatus>,
}

/// The team's sprints before `before` that match a filter, newest first.
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
/// `INVALID_REQUEST` if it would end before it starts.
pub async fn create(
    tx: &mut Tx,
    team: &Team<TeamWrite>,
    call: &Call<TeamWrite>,
    new: &NewSprint,
) -> Result<SprintRecord> {
    let period = Period::default().with(Some(new.start), Some(new.end), &team.record.time_zone)?;
    let record = SprintRecord {
        id: SprintId::new(call.now),
        name: new.name.clone(),
        description: new.description.clone(),
        status: SprintStatus::Planned,
        created_at: call.now,
        start_date: period.start(),
        end_date: period.end(),
        team_id: team.id(),
    };
    diesel::insert_into(sprints::table).values(SprintRow::of(&record)).execute(tx).await?;
    publish(tx, call, &record, Vec::new(), ChangeData::SprintCreated);
    Ok(record)
}

/// Changes a sprint that is not completed.
///
/// # Errors
/// `SPRINT_NOT_ACTIVE` if it is completed; `INVALID_REQUEST` if it would end before it starts, or an active sprint would lose
/// a date.
pub async fn update(
    tx: &mut Tx,
    sprint: &Sprint<TeamWrite>,
    call: &Call<TeamWrite>,
    changes: &SprintChanges,
) -> Result<SprintRecord> {
    let before = &sprint.record;
    if before.status == SprintStatus::Completed {
        return Err(Error::new(Code::SprintNotActive, "A completed sprint can't be changed.")
            .with_detail("status", before.status.as_str()));
    }
    let period = before.period()?.with(changes.start, changes.end, &sprint.team.record.time_zone)?;
    if before.status == SprintStatus::Active {
        period.both("can't be cleared: the sprint is active")?;
    }
    let after = SprintRecord {
        name: changes.name.clone().unwrap_or_else(|| before.name.clone()),
        description: changes.description.clone().unwrap_or_else(|| before.description.clone()),
        start_date: period.start(),
        end_date: period.end(),
        ..before.clone()
    };
    save(tx, &after).await?;
    let fields = changed_fields(before, &after)?;
    if !fields.is_empty() {
        publish(tx, call, &after, fields, ChangeData::SprintUpdated);
    }
    Ok(after)
}

/// Deletes a planned sprint; its cards move to the backlog. Returns their number.
///
/// # Errors
/// `SPRINT_NOT_PLANNED`; `FORBIDDEN` if the caller may not write one of the cards.
pub async fn delete(tx: &mut Tx, sprint: &Sprint<TeamWrite>, call: &Call<TeamWrite>) -> Result<usize> {
    require_planned(&sprint.record)?;
    let cards = relocation::lock_cards(tx, sprint).await?;
    let moved = relocation::move_cards(tx, call, cards, Destination::Backlog).await?;
    let deleted = diesel::delete(sprints::table.find(sprint.id().0)).execute(tx).await?;
    if deleted != 1 {
        return Err(Error::internal("a locked sprint is gone"));
    }
    publish(tx, call, &sprint.record, Vec::new(), ChangeData::SprintDeleted);
    Ok(moved)
}

/// Starts a planned sprint (docs/api.md, section 6). Of concurrent starts that exclude each other, one succeeds.
///
/// # Errors
/// `INVALID_REQUEST` if a date is missing or the sprint would end before it starts; `SPRINT_NOT_PLANNED`; `SPRINT_EMPTY`;
/// `SPRINT_ALREADY_ACTIVE`.
pub async fn start(
    tx: &mut Tx,
    sprint: &Sprint<TeamWrite>,
    call: &Call<TeamWrite>,
    how: SprintStart,
) -> Result<SprintRecord> {
    let before = &sprint.record;
    require_planned(before)?;
    let zone = &sprint.team.record.time_zone;
    let period = before.period()?.with(how.start.map(Some), how.end.map(Some), zone)?;
    let (start, end) = period.both("is required: the sprint has none yet")?;
    // With all cards locked, the history rows of earlier changes are committed, also those of cards that were being deleted.
    // So the cards and the last sequence number fit together.
    if relocation::lock_cards(tx, sprint).await?.is_empty() {
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
    let last = last_history_sequence(tx).await?;
    let written = diesel::update(sprints::table.find(after.id.0))
        .set((
            SprintRow::of(&after),
            sprints::started_at.eq(call.now.0),
            sprints::started_sequence.eq(last.0),
        ))
        .execute(tx)
        .await?;
    if written != 1 {
        return Err(Error::internal("a locked sprint is gone"));
    }
    publish(tx, call, &after, Vec::new(), ChangeData::SprintStarted);
    Ok(after)
}

/// Publishes a change of a sprint.
fn publish(
    tx: &mut Tx,
    call: &Call<TeamWrite>,
    sprint: &SprintRecord,
    fields: Vec<String>,
    change: impl FnOnce(SprintEventData) -> ChangeData,
) {
    let data = SprintEventData { sprint_id: sprint.id, team_id: sprint.team_id, fields };
    tx.publish(NewChangeEvent::of_team(call, sprint.team_id, change(data)));
}

/// The last number of the card history's sequence. While a sprint's cards are locked, their existing history rows have at most
/// this number, and later rows have greater ones.
async fn last_history_sequence(tx: &mut Tx) -> Result<Sequence> {
    #[derive(QueryableByName)]
    struct SequenceRow {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        last_value: i64,
    }
    let row: SequenceRow =
        Statement::new("select last_value from card_history_sequence").get_result(tx).await?;
    Ok(Sequence(row.last_value))
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
    Err(Error::new(Code::SprintNotPlanned, "The sprint has already been started.")
        .with_detail("status", sprint.status.as_str()))
}

async fn save(tx: &mut Tx, sprint: &SprintRecord) -> Result<()> {
    let written =
        diesel::update(sprints::table.find(sprint.id.0)).set(SprintRow::of(sprint)).execute(tx).await?;
    if written == 1 { Ok(()) } else { Err(Error::internal("a locked sprint is gone")) }
}
