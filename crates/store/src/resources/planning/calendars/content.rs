//! The content of a calendar: due cards and sprints, by the present rights of the feed's user.

use auth::actor::CardRead;
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{CardId, OrganizationId, ProjectId, SprintId, TeamId, UserId};
use domain::key::CardKey;
use domain::people::permission::Permission;
use domain::planning::calendar::{CalendarContent, DueCard, ScheduledSprint};
use domain::time::{Deadline, Timestamp};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::linked_projects;
use crate::access::reachable;
use crate::access::user::User;
use crate::access::visible_teams;
use crate::resources::planning::calendars::FetchedFeed;
use crate::resources::store::Tx;

/// Age of the oldest entries, in seconds: a year.
const PAST_SECS: i64 = 366 * 86_400;
/// Most cards that are due from now on.
const UPCOMING_MAX: i64 = 2_000;
/// Most cards that are overdue.
const OVERDUE_MAX: i64 = 1_000;
/// Most sprints.
const SPRINTS_MAX: i64 = 500;

/// The content of a feed's calendar. What the user may not read any more is left out.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of(
    tx: &mut Tx,
    user: &User<CardRead>,
    call: &Call<CardRead>,
    feed: &FetchedFeed,
) -> Result<CalendarContent> {
    let (projects, teams) = reach(tx, user, call, feed).await?;
    Ok(CalendarContent {
        cards: cards(tx, user.id(), feed, &projects, call.now).await?,
        sprints: sprints(tx, &teams, call.now).await?,
    })
}

/// The projects and the teams of a feed that its user sees.
async fn reach(
    tx: &mut Tx,
    user: &User<CardRead>,
    call: &Call<CardRead>,
    feed: &FetchedFeed,
) -> Result<(Vec<Uuid>, Vec<Uuid>)> {
    let record = &feed.record;
    let (projects, teams): (Vec<ProjectId>, Vec<TeamId>) = match (record.project_id, record.team_id) {
        (Some(project), _) => {
            let reached = reachable::among(tx, call, &[project], Permission::CardRead).await?;
            (reached.into_iter().collect(), Vec::new())
        }
        (None, Some(team)) => {
            let seen = visible_teams::among(tx, call, [team]).await?;
            if seen.is_empty() {
                return Ok((Vec::new(), Vec::new()));
            }
            let linked = linked_projects::find(tx, team, call).await?;
            let linked = linked.into_iter().filter(|one| one.permissions.contains(Permission::CardRead));
            (linked.map(|one| one.id).collect(), seen.into_iter().collect())
        }
        (None, None) => {
            let projects = reachable::own(tx, user, Permission::CardRead).await?;
            let teams = visible_teams::own(tx, call, record.mine).await?;
            (projects.into_iter().collect(), teams.into_iter().collect())
        }
    };
    let projects = projects.into_iter().map(|project| project.0).collect();
    Ok((projects, teams.into_iter().map(|team| team.0).collect()))
}

/// The open cards of a feed that are due, in the order of their deadlines.
async fn cards(
    tx: &mut Tx,
    user: UserId,
    feed: &FetchedFeed,
    projects: &[Uuid],
    now: Timestamp,
) -> Result<Vec<DueCard>> {
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let record = &feed.record;
    let is_of_projects = record.team_id.is_none() && !record.mine;
    let statement = Statement::new(match is_of_projects {
        true => include_str!("due_in_projects.sql"),
        false => include_str!("due_of_people.sql"),
    });
    let mut statement = statement
        .bind::<Array<SqlUuid>, _>(projects.to_vec())
        .bind::<Timestamptz, _>(now.plus_seconds(-PAST_SECS).0)
        .bind::<Timestamptz, _>(now.0)
        .bind::<BigInt, _>(UPCOMING_MAX)
        .bind::<BigInt, _>(OVERDUE_MAX);
    if !is_of_projects {
        statement = statement
            .bind::<Nullable<SqlUuid>, _>(record.team_id.map(|team| team.0))
            .bind::<Nullable<SqlUuid>, _>(record.mine.then_some(user.0));
    }
    let rows: Vec<DueRow> = statement.load(tx).await?;
    rows.into_iter().map(DueRow::card).collect()
}

/// The sprints of teams, in the order of their starts.
async fn sprints(tx: &mut Tx, teams: &[Uuid], now: Timestamp) -> Result<Vec<ScheduledSprint>> {
    if teams.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<ScheduledRow> = Statement::new(include_str!("sprints.sql"))
        .bind::<Array<SqlUuid>, _>(teams.to_vec())
        .bind::<Timestamptz, _>(now.plus_seconds(-PAST_SECS).0)
        .bind::<Timestamptz, _>(now.0)
        .bind::<BigInt, _>(SPRINTS_MAX)
        .load(tx)
        .await?;
    let mut found = rows.into_iter().map(ScheduledRow::sprint).collect::<Result<Vec<_>>>()?;
    // The statement's order moves with the time, and an unchanged calendar has the same bytes.
    found.sort_by_key(|sprint| (sprint.start, sprint.id));
    Ok(found)
}

#[derive(QueryableByName)]
struct DueRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Timestamptz)]
    deadline: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    updated_at: OffsetDateTime,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    project_key: Option<String>,
    #[diesel(sql_type = Text)]
    project_name: String,
}

impl DueRow {
    fn card(self) -> Result<DueCard> {
        let key = match (self.project_key, self.number) {
            (Some(project), Some(number)) => Some(CardKey { project: decode::parse(&project)?, number }),
            _ => None,
        };
        Ok(DueCard {
            id: CardId(self.id),
            key,
            name: decode::name(&self.name)?,
            project_id: ProjectId(self.project_id),
            project_name: decode::name(&self.project_name)?,
            deadline: Deadline(Timestamp::from(self.deadline)),
            updated_at: Timestamp::from(self.updated_at),
        })
    }
}

#[derive(QueryableByName)]
struct ScheduledRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Timestamptz)]
    start_date: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    end_date: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    revised_at: OffsetDateTime,
    #[diesel(sql_type = SqlUuid)]
    team_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Text)]
    team_name: String,
    #[diesel(sql_type = Text)]
    time_zone: String,
}

impl ScheduledRow {
    fn sprint(self) -> Result<ScheduledSprint> {
        Ok(ScheduledSprint {
            id: SprintId(self.id),
            name: decode::name(&self.name)?,
            team_id: TeamId(self.team_id),
            organization_id: OrganizationId(self.organization_id),
            team_name: decode::name(&self.team_name)?,
            time_zone: decode::text(&self.time_zone)?,
            start: Timestamp::from(self.start_date),
            end: Timestamp::from(self.end_date),
            revised_at: Timestamp::from(self.revised_at),
        })
    }
}
