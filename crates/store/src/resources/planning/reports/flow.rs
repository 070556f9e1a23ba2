//! Flow reports. Each statement reads the rows since the window's first day, and one snapshot has them and the present
//! numbers. Boards that the caller doesn't see are not read.

use std::collections::BTreeMap;

use auth::actor::CardRead;
use database::decode;
use database::prelude::*;
use database::schema::teams;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, StatusId, TeamId};
use domain::planning::flow::window::FlowWindow;
use domain::planning::flow::{
    CardInProgress, ColumnLoadChange, DoneDay, FlowColumn, FlowFacts, FlowReport, FlowTimes, OpennessChange,
    WorkInProgress, report,
};
use domain::planning::status::StatusRecord;
use domain::time::{CalendarDay, Timestamp, Zone};
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::rows::card::card_key;
use crate::access::visible_teams;
use crate::resources::planning::teams::statuses;
use crate::resources::store::Tx;

/// The days and the board of a report.
#[derive(Clone, Debug)]
pub struct FlowQuery {
    /// First day.
    pub from: Option<CalendarDay>,
    /// Last day.
    pub to: Option<CalendarDay>,
    /// The board. That of a team that the caller doesn't see has no columns and no cards.
    pub team: Option<TeamId>,
    /// Time zone of the days. Defaults to the team's.
    pub zone: Option<Zone>,
}

/// The boards of a report.
struct FlowBoards {
    /// Those on which work is in progress.
    teams: Vec<Uuid>,
    /// The named team, if the caller sees it.
    team: Option<TeamId>,
    /// True if only cards of these boards count.
    is_filter: bool,
}

/// The flow report of a project, as the caller sees its boards.
///
/// # Errors
/// `INVALID_REQUEST` for days that a report can't have.
pub async fn read(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    query: &FlowQuery,
) -> Result<FlowReport> {
    let boards = boards(tx, project, call, query).await?;
    let zone = match (&query.zone, boards.team) {
        (Some(zone), _) => zone.clone(),
        (None, Some(team)) => zone_of(tx, team).await?,
        (None, None) => Zone::UTC,
    };
    let window = FlowWindow::new(query.from, query.to, zone, call.now)?;
    let bounds = DayBounds::of(&window)?;
    let mut facts = FlowFacts::default();
    read_openness(tx, project, &bounds, &mut facts).await?;
    if let Some(team) = boards.team {
        read_columns(tx, project, team, &bounds, &mut facts).await?;
    }
    read_done(tx, project, &boards, &bounds, &mut facts).await?;
    if window.reaches_now() {
        facts.in_progress = Some(in_progress(tx, project, &boards, call.now).await?);
    }
    Ok(report(&window, facts))
}

async fn boards(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    query: &FlowQuery,
) -> Result<FlowBoards> {
    let Some(team) = query.team else {
        let seen = visible_teams::of_history(tx, call, project.record.id).await?;
        let teams = seen.into_iter().map(|team| team.0).collect();
        return Ok(FlowBoards { teams, team: None, is_filter: false });
    };
    let seen = visible_teams::among(tx, call, [team]).await?.contains(&team).then_some(team);
    Ok(FlowBoards { teams: seen.iter().map(|team| team.0).collect(), team: seen, is_filter: true })
}

/// The time zone of a team; UTC for one that was deleted.
async fn zone_of(tx: &mut Tx, team: TeamId) -> Result<Zone> {
    let zone: Option<String> =
        teams::table.find(team.0).select(teams::time_zone).first(tx).await.optional()?;
    zone.map_or(Ok(Zone::UTC), |zone| decode::parse(&zone))
}

/// The beginnings of a window's days, and its end.
struct DayBounds {
    all: Vec<OffsetDateTime>,
    start: OffsetDateTime,
    end: OffsetDateTime,
}

impl DayBounds {
    fn of(window: &FlowWindow) -> Result<Self> {
        let all: Vec<OffsetDateTime> = window.bounds().into_iter().map(|bound| bound.0).collect();
        match all.as_slice() {
            [start, .., end] => Ok(Self { start: *start, end: *end, all }),
            _ => Err(Error::internal("a window has no days")),
        }
    }
}

async fn read_openness(
    tx: &mut Tx,
    project: &Project<CardRead>,
    bounds: &DayBounds,
    facts: &mut FlowFacts,
) -> Result<()> {
    let rows: Vec<OpennessRow> = Statement::new(include_str!("flow/openness.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Array<Timestamptz>, _>(&bounds.all)
        .bind::<Timestamptz, _>(bounds.start)
        .load(tx)
        .await?;
    for OpennessRow { day, created, opened, closed } in rows {
        match position(day)? {
            Some(day) => facts.changes.push(OpennessChange { day, created, open: opened, closed }),
            None => (facts.open, facts.closed) = (opened, closed),
        }
    }
    Ok(())
}

async fn read_columns(
    tx: &mut Tx,
    project: &Project<CardRead>,
    team: TeamId,
    bounds: &DayBounds,
    facts: &mut FlowFacts,
) -> Result<()> {
    facts.columns = statuses::of_team(tx, team).await?.into_iter().map(flow_column).collect();
    let rows: Vec<ColumnRow> = Statement::new(include_str!("flow/columns.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Array<Timestamptz>, _>(&bounds.all)
        .bind::<Timestamptz, _>(bounds.start)
        .bind::<SqlUuid, _>(team.0)
        .load(tx)
        .await?;
    let mut now = BTreeMap::new();
    for ColumnRow { status_id, day, cards } in rows {
        let column = StatusId(status_id);
        match position(day)? {
            Some(day) => facts.column_changes.push(ColumnLoadChange { day, column, cards }),
            None => drop(now.insert(column, cards)),
        }
    }
    facts.in_columns = now;
    Ok(())
}

fn flow_column(status: StatusRecord) -> FlowColumn {
    FlowColumn { id: status.id, name: status.name.to_string(), color: Some(status.color), is_deleted: false }
}

async fn read_done(
    tx: &mut Tx,
    project: &Project<CardRead>,
    boards: &FlowBoards,
    bounds: &DayBounds,
    facts: &mut FlowFacts,
) -> Result<()> {
    let rows: Vec<DoneRow> = Statement::new(include_str!("flow/done.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Array<Timestamptz>, _>(&bounds.all)
        .bind::<Timestamptz, _>(bounds.start)
        .bind::<Timestamptz, _>(bounds.end)
        .bind::<Array<SqlUuid>, _>(&boards.teams)
        .bind::<Bool, _>(boards.is_filter)
        .load(tx)
        .await?;
    for row in rows {
        match position(row.day)? {
            Some(day) => {
                let DoneRow { done, cards, effort, .. } = row;
                facts.done.push(DoneDay { day, done, cards, effort });
            }
            None => {
                facts.lead_time = times(row.cards, row.lead_percentiles.as_deref(), row.lead_mean);
                facts.cycle_time = times(row.cycle_cards, row.cycle_percentiles.as_deref(), row.cycle_mean);
            }
        }
    }
    Ok(())
}

fn times(cards: i64, percentiles: Option<&[i64]>, mean: Option<i64>) -> FlowTimes {
    match percentiles {
        Some([p50, p85, p95]) => FlowTimes { cards, p50: Some(*p50), p85: Some(*p85), p95: Some(*p95), mean },
        _ => FlowTimes { cards, mean, ..FlowTimes::default() },
    }
}

async fn in_progress(
    tx: &mut Tx,
    project: &Project<CardRead>,
    boards: &FlowBoards,
    now: Timestamp,
) -> Result<WorkInProgress> {
    if boards.teams.is_empty() {
        return Ok(WorkInProgress::default());
    }
    let rows: Vec<CardInProgressRow> = Statement::new(include_str!("flow/in_progress.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Array<SqlUuid>, _>(&boards.teams)
        .load(tx)
        .await?;
    Ok(WorkInProgress {
        total: rows.as_slice().first().map_or(0, |row| row.total),
        cards: rows.into_iter().map(|row| row.card(now)).collect::<Result<_>>()?,
    })
}

/// The position of a day in the window, as statements count it.
fn position(day: Option<i32>) -> Result<Option<usize>> {
    day.map(|day| usize::try_from(day).map_err(Error::internal)).transpose()
}

#[derive(QueryableByName)]
struct OpennessRow {
    #[diesel(sql_type = Nullable<Integer>)]
    day: Option<i32>,
    #[diesel(sql_type = BigInt)]
    created: i64,
    #[diesel(sql_type = BigInt)]
    opened: i64,
    #[diesel(sql_type = BigInt)]
    closed: i64,
}

#[derive(QueryableByName)]
struct ColumnRow {
    #[diesel(sql_type = SqlUuid)]
    status_id: Uuid,
    #[diesel(sql_type = Nullable<Integer>)]
    day: Option<i32>,
    #[diesel(sql_type = BigInt)]
    cards: i64,
}

#[derive(QueryableByName)]
struct DoneRow {
    #[diesel(sql_type = Nullable<Integer>)]
    day: Option<i32>,
    #[diesel(sql_type = BigInt)]
    done: i64,
    #[diesel(sql_type = BigInt)]
    cards: i64,
    #[diesel(sql_type = BigInt)]
    effort: i64,
    #[diesel(sql_type = Nullable<Array<BigInt>>)]
    lead_percentiles: Option<Vec<i64>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    lead_mean: Option<i64>,
    #[diesel(sql_type = BigInt)]
    cycle_cards: i64,
    #[diesel(sql_type = Nullable<Array<BigInt>>)]
    cycle_percentiles: Option<Vec<i64>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    cycle_mean: Option<i64>,
}

#[derive(QueryableByName)]
struct CardInProgressRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    key: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Timestamptz)]
    since: OffsetDateTime,
    #[diesel(sql_type = BigInt)]
    total: i64,
}

impl CardInProgressRow {
    fn card(self, now: Timestamp) -> Result<CardInProgress> {
        let since = Timestamp::from(self.since);
        Ok(CardInProgress {
            card_id: CardId(self.id),
            key: card_key(self.key.as_deref(), self.number)?,
            name: decode::name(&self.name)?,
            since,
            seconds: now.unix_seconds().saturating_sub(since.unix_seconds()).max(0),
        })
    }
}
