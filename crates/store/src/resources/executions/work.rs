//! What the process that works on an execution writes for it. Each function holds the execution's row, and does nothing
//! where it has ended or is another process's by now.

use auth::actor::Actor;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::event::{EventType, NewEvent};
use domain::execution::{ExecutionState, Program};
use domain::id::{ApiKeyId, ExecutionId, OwnerId, ProcessId, ProjectId, SessionId, UserId};
use domain::project::BranchName;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::db::config::Store;
use crate::db::decode;
use crate::db::error::failure;
use crate::db::schema::{executions, projects, sessions};
use crate::db::statement::Statement;
use crate::resources::executions::{End, finish, tell};
use crate::resources::leases::Leased;
use crate::resources::session_events;

/// Proof that a process was given an execution.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// The execution.
    pub execution: ExecutionId,
    /// Its session.
    pub session: SessionId,
    process: ProcessId,
}

/// An execution, as the process gets it that is to work on it.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// What lets the process write for it.
    pub work: Work,
    /// The session's project.
    pub project: ProjectId,
    /// Who owns it.
    pub owner: OwnerId,
    /// The session's branch.
    pub branch: BranchName,
    /// Who asked for it.
    pub user: UserId,
    /// The key that it was asked for with; `None` for a browser session.
    pub key: Option<ApiKeyId>,
    /// The code.
    pub program: Program,
    /// What the code is handed.
    pub input: Map<String, Value>,
}

impl Work {
    fn held(&self) -> (Uuid, ProcessId) {
        (self.execution.0, self.process)
    }
}

impl Store {
    /// Takes up an execution that was queued for this process; `None` where it was not, or somebody has ended it.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn begin_execution(
        &self,
        execution: ExecutionId,
        process: ProcessId,
        now: Timestamp,
    ) -> Result<Option<Assignment>> {
        self.as_system(async |tx| {
            let taken = diesel::update(executions::table.find(execution.0))
                .filter(executions::state.eq("queued").and(executions::process_id.eq(process.0)))
                .set((executions::state.eq("running"), executions::started_at.eq(now.0)))
                .execute(tx.connection()?)
                .await
                .map_err(failure)?;
            if taken == 0 {
                return Ok(None);
            }
            let row: AssignmentRow = executions::table
                .inner_join(sessions::table.on(sessions::id.eq(executions::session_id)))
                .inner_join(projects::table.on(projects::id.eq(sessions::project_id)))
                .filter(executions::id.eq(execution.0))
                .select(AssignmentRow::as_select())
                .first(tx.connection()?)
                .await
                .map_err(failure)?;
            let assignment = row.assignment(execution, process)?;
            let (state, session) = (ExecutionState::Running, assignment.work.session);
            tell(tx, execution, session, &json!({ "state": state }), now).await?;
            Ok(Some(assignment))
        })
        .await
    }

    /// Who asked for an execution, with what the credential still may.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` where the credential can't be used any more.
    pub async fn actor_of_execution(&self, of: &Assignment, now: Timestamp) -> Result<Actor> {
        self.actor_still(of.user, of.key, now).await
    }

    /// Adds to what an execution wrote, with its event; returns whether it was still this process's. `truncated`: what
    /// follows is not kept.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn add_output(&self, work: &Work, text: &str, truncated: bool, now: Timestamp) -> Result<bool> {
        self.as_worker(Leased::Executions, work.held(), async |tx| {
            let added = Statement::new(include_str!("add_output.sql"))
                .bind::<SqlUuid, _>(work.execution.0)
                .bind::<Text, _>(text.to_owned())
                .bind::<Bool, _>(truncated)
                .execute(tx.connection()?)
                .await
                .map_err(failure)?;
            if added != 1 {
                return Err(Error::internal("output of an execution that was held was not added"));
            }
            let data = json!({ "executionId": work.execution, "text": text, "truncated": truncated });
            let event = NewEvent { kind: EventType::ExecutionOutput, data };
            session_events::append(tx, work.session, now, &event).await
        })
        .await
    }

    /// Ends an execution; returns whether it was still this process's.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn end_execution(&self, work: &Work, end: &End, now: Timestamp) -> Result<bool> {
        self.as_worker(Leased::Executions, work.held(), async |tx| {
            finish(tx, work.execution, work.session, end, now).await
        })
        .await
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = executions)]
struct AssignmentRow {
    session_id: Uuid,
    user_id: Uuid,
    api_key_id: Option<Uuid>,
    language: String,
    source: Option<Vec<u8>>,
    input: Vec<u8>,
    #[diesel(embed)]
    session: AssignedSession,
    #[diesel(embed)]
    project: AssignedProject,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
struct AssignedSession {
    project_id: Uuid,
    branch: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = projects)]
struct AssignedProject {
    owner_id: Uuid,
}

impl AssignmentRow {
    fn assignment(self, execution: ExecutionId, process: ProcessId) -> Result<Assignment> {
        let source = String::from_utf8(self.source.unwrap_or_default()).map_err(Error::internal)?;
        Ok(Assignment {
            work: Work { execution, session: SessionId(self.session_id), process },
            project: ProjectId(self.session.project_id),
            owner: OwnerId(self.project.owner_id),
            branch: decode::parse(&self.session.branch)?,
            user: UserId(self.user_id),
            key: self.api_key_id.map(ApiKeyId),
            program: Program { language: decode::text(&self.language)?, source },
            input: serde_json::from_slice(&self.input).map_err(Error::internal)?,
        })
    }
}
