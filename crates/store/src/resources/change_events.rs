//! Change events of teams and projects, as followers read them. Transactions append them through the outbox.

use std::collections::HashSet;

use auth::actor::{ProjectRead, TeamRead};
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::event::change::{ChangeScope, StoredChangeEvent};
use domain::id::{ApiKeyId, ProjectId, SessionId, TeamId, UserId};
use domain::people::permission::Permission;
use domain::planning::history::HistoryActor;
use domain::time::Timestamp;
use serde_json::Value;
use time::OffsetDateTime;
use tokio::sync::watch;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::team::Team;
use crate::access::{reachable, visible_teams};
use crate::resources::store::Store;

/// Most events of a page.
const PAGE_ROWS: i64 = 500;
/// Rows of which one statement deletes the expired ones.
const DELETE_ROWS: i64 = 5_000;

/// Proof that the caller may read a team or project, and so follow its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FollowedScope(ChangeScope);

impl FollowedScope {
    /// The proof for a team.
    pub fn of_team(team: &Team<TeamRead>) -> Self {
        Self(ChangeScope::Team(team.id()))
    }

    /// The proof for a project.
    pub fn of_project(project: &Project<ProjectRead>) -> Self {
        Self(ChangeScope::Project(project.record.id))
    }

    /// The team or project.
    pub fn scope(self) -> ChangeScope {
        self.0
    }
}

/// The range of the events of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRange {
    /// Events up to this number are committed or never will be. A later snapshot sees them.
    pub horizon: i64,
    /// The last number that was drawn.
    pub drawn: i64,
    /// Events up to this number may have been deleted.
    pub deleted: i64,
}

/// Events after a number, and up to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeSlice {
    /// Exclusive start.
    pub after: i64,
    /// Inclusive end: a horizon that was read before.
    pub until: i64,
}

/// A page of events in their order, each with the id of its scope.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangePage {
    /// The events.
    pub events: Vec<(Uuid, StoredChangeEvent)>,
    /// More events follow.
    pub is_full: bool,
}

/// The subjects of events that a caller sees, out of those that were asked for.
#[derive(Clone, Debug, Default)]
pub struct VisibleSubjects {
    /// Projects.
    pub projects: HashSet<ProjectId>,
    /// Projects with cards that the caller may read.
    pub with_cards: HashSet<ProjectId>,
    /// Teams.
    pub teams: HashSet<TeamId>,
}

impl Store {
    /// Wakes after commits of this process that wrote change events.
    pub fn change_events_written(&self) -> watch::Receiver<()> {
        self.changes_written.subscribe()
    }

    /// The present range of the events.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn change_range(&self) -> Result<ChangeRange> {
        let statement = Statement::new(include_str!("change_events/range.sql"));
        let row: RangeRow = statement.get_result(&self.connection().await?).await?;
        Ok(ChangeRange { horizon: row.horizon, drawn: row.drawn, deleted: row.deleted })
    }

    /// A page of the events of `scopes`.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn change_events(&self, scopes: &[FollowedScope], slice: ChangeSlice) -> Result<ChangePage> {
        let sql = match scopes {
            [_] => include_str!("change_events/of_scope.sql"),
            _ => include_str!("change_events/of_scopes.sql"),
        };
        let statement = Statement::new(sql)
            .bind::<Array<SqlUuid>, _>(scopes.iter().map(|scope| scope.0.id()).collect::<Vec<_>>())
            .bind::<BigInt, _>(slice.after)
            .bind::<BigInt, _>(slice.until)
            .bind::<BigInt, _>(PAGE_ROWS);
        let rows: Vec<ChangeEventRow> = statement.load(&self.connection().await?).await?;
        let is_full = i64::try_from(rows.len()).is_ok_and(|rows| rows >= PAGE_ROWS);
        Ok(ChangePage { events: rows.into_iter().map(ChangeEventRow::event).collect(), is_full })
    }

    /// Those of the projects and teams that the caller sees with its credential.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn visible_subjects<P>(
        &self,
        call: &Call<P>,
        projects: &[ProjectId],
        teams: &[TeamId],
    ) -> Result<VisibleSubjects> {
        let connection = self.connection().await?;
        Ok(VisibleSubjects {
            projects: reachable::among(&connection, call, projects, Permission::ProjectRead).await?,
            with_cards: reachable::among(&connection, call, projects, Permission::CardRead).await?,
            teams: visible_teams::among(&connection, call, teams.iter().copied()).await?,
        })
    }

    /// Deletes the events from before `time`, in batches; returns the number of rows.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn delete_change_events_before(&self, time: Timestamp) -> Result<usize> {
        let mut all = 0;
        loop {
            let statement = Statement::new(include_str!("change_events/delete.sql"))
                .bind::<Timestamptz, _>(time.0)
                .bind::<BigInt, _>(DELETE_ROWS);
            let row: DeletedRow = statement.get_result(&self.connection().await?).await?;
            match usize::try_from(row.deleted) {
                Ok(0) | Err(_) => return Ok(all),
                Ok(some) => all += some,
            }
        }
    }
}

#[derive(QueryableByName)]
struct RangeRow {
    #[diesel(sql_type = BigInt)]
    horizon: i64,
    #[diesel(sql_type = BigInt)]
    drawn: i64,
    #[diesel(sql_type = BigInt)]
    deleted: i64,
}

#[derive(QueryableByName)]
struct DeletedRow {
    #[diesel(sql_type = BigInt)]
    deleted: i64,
}

#[derive(QueryableByName)]
struct ChangeEventRow {
    #[diesel(sql_type = SqlUuid)]
    scope_id: Uuid,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Jsonb)]
    data: Value,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    project_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    team_id: Option<Uuid>,
    #[diesel(sql_type = Bool)]
    is_of_cards: bool,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    actor_user_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    actor_key_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    actor_session_id: Option<Uuid>,
    #[diesel(sql_type = Timestamptz)]
    occurred_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    other_project_id: Option<Uuid>,
}

impl ChangeEventRow {
    fn event(self) -> (Uuid, StoredChangeEvent) {
        let actor = |user| HistoryActor {
            user_id: UserId(user),
            key_id: self.actor_key_id.map(ApiKeyId),
            session_id: self.actor_session_id.map(SessionId),
        };
        let event = StoredChangeEvent {
            sequence: self.sequence,
            kind: self.kind,
            data: self.data,
            occurred_at: Timestamp::from(self.occurred_at),
            actor: self.actor_user_id.map(actor),
            project: self.project_id.map(ProjectId),
            team: self.team_id.map(TeamId),
            other_project: self.other_project_id.map(ProjectId),
            is_of_cards: self.is_of_cards,
        };
        (self.scope_id, event)
    }
}
