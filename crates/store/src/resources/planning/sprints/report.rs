//! Reports on sprints: computed from the cards' history, and frozen at the sprint's completion.

use auth::actor::{Requirement, TeamRead};
use database::decode;
use database::prelude::*;
use database::schema::{sprints, team_status_transitions};
use diesel::sql_types::{BigInt, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, ProjectId, StatusId, TeamId};
use domain::people::permission::Permission;
use domain::planning::history::Sequence;
use domain::planning::sprint::SprintStatus;
use domain::planning::sprint::report::{ColumnChange, SprintCardChange, SprintFacts, SprintReport, report};
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::reachable;
use crate::access::sprint::Sprint;
use crate::resources::store::Tx;

/// The report on a sprint, which lists the cards that the caller can read.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get(tx: &mut Tx, sprint: &Sprint<TeamRead>, call: &Call<TeamRead>) -> Result<SprintReport> {
    let frozen: Option<Value> = sprints::table.find(sprint.id().0).select(sprints::report).first(tx).await?;
    let whole = match frozen {
        Some(frozen) => serde_json::from_value(frozen).map_err(Error::internal)?,
        None => compute(tx, sprint, sprint.record.status, call.now, None).await?,
    };
    for_reader(tx, call, whole).await
}

/// Computes the report from the history up to the row `last`, or to its end.
pub(super) async fn compute<P>(
    tx: &mut Tx,
    at: &Sprint<P>,
    status: SprintStatus,
    as_of: Timestamp,
    last: Option<Sequence>,
) -> Result<SprintReport> {
    let sprint = &at.record;
    let started: Option<i64> =
        sprints::table.find(sprint.id.0).select(sprints::started_sequence).first(tx).await?;
    let rows: Vec<CardEventRow> = Statement::new(include_str!("report.sql"))
        .bind::<SqlUuid, _>(sprint.id.0)
        .bind::<Nullable<BigInt>, _>(last.map(|last| last.0))
        .load(tx)
        .await?;
    let events: Vec<SprintCardChange> = rows.into_iter().map(CardEventRow::event).collect::<Result<_>>()?;
    let facts = SprintFacts {
        sprint: sprint.id,
        team: sprint.team_id,
        zone: at.team.record.time_zone.clone(),
        status,
        start: sprint.start_date,
        end: sprint.end_date,
        started: started.map(Sequence),
        as_of,
    };
    let columns = column_changes(tx, sprint.team_id, last).await?;
    Ok(report(&facts, &events, &columns))
}

/// The changes of the transition states of the team's columns up to the number `last`, in their order.
async fn column_changes(tx: &mut Tx, team: TeamId, last: Option<Sequence>) -> Result<Vec<ColumnChange>> {
    let last = last.map_or(i64::MAX, |last| last.0);
    let rows: Vec<(i64, Uuid, OffsetDateTime, String)> = team_status_transitions::table
        .filter(team_status_transitions::team_id.eq(team.0).and(team_status_transitions::sequence.le(last)))
        .order(team_status_transitions::sequence)
        .select((
            team_status_transitions::sequence,
            team_status_transitions::status_id,
            team_status_transitions::occurred_at,
            team_status_transitions::transition_state,
        ))
        .load(tx)
        .await?;
    let change = |(sequence, column, at, state): (i64, Uuid, OffsetDateTime, String)| {
        let state = decode::text(&state)?;
        Ok(ColumnChange { sequence: Sequence(sequence), column: StatusId(column), at: at.into(), state })
    };
    rows.into_iter().map(change).collect()
}

/// The report with only the cards that the caller can read.
pub(super) async fn for_reader<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    whole: SprintReport,
) -> Result<SprintReport> {
    let readable = reachable::among(tx, call, &whole.projects(), Permission::CardRead).await?;
    Ok(whole.readable_by(|project| readable.contains(&project)))
}

#[derive(QueryableByName)]
struct CardEventRow {
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = Timestamptz)]
    occurred_at: OffsetDateTime,
    #[diesel(sql_type = Jsonb)]
    changes: Value,
}

impl CardEventRow {
    fn event(self) -> Result<SprintCardChange> {
        Ok(SprintCardChange {
            sequence: Sequence(self.sequence),
            card: CardId(self.card_id),
            project: ProjectId(self.project_id),
            at: Timestamp::from(self.occurred_at),
            changes: serde_json::from_value(self.changes).map_err(Error::internal)?,
        })
    }
}
