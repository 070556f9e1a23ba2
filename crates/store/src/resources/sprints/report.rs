//! Reports on sprints: computed from the cards' history, and frozen at the sprint's completion.

use auth::actor::{Requirement, TeamRead};
use database::prelude::*;
use database::schema::sprints;
use diesel::sql_types::{BigInt, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::history::Sequence;
use domain::id::{CardId, ProjectId};
use domain::permission::Permission;
use domain::sprint::report::{SprintCardChange, SprintFacts, SprintReport, report};
use domain::sprint::{SprintRecord, SprintStatus};
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
        None => compute(tx, &sprint.record, sprint.record.status, call.now, None).await?,
    };
    for_reader(tx, call, whole).await
}

/// Computes the report from the history up to the row `last`, or to its end.
pub(super) async fn compute(
    tx: &mut Tx,
    sprint: &SprintRecord,
    status: SprintStatus,
    as_of: Timestamp,
    last: Option<Sequence>,
) -> Result<SprintReport> {
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
        status,
        start: sprint.start_date,
        end: sprint.end_date,
        started: started.map(Sequence),
        as_of,
    };
    Ok(report(&facts, &events))
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
