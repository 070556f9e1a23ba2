//! The writes of the process that works on an execution. Each locks the execution's row, and writes nothing if the lease is
//! lost.

use database::decode;
use database::prelude::*;
use database::schema::{executions, projects, sessions};
use diesel::sql_types::{Bool, Text, Uuid as SqlUuid};
use domain::event::{EventType, NewEvent};
use domain::id::{ApiKeyId, ExecutionId, OwnerId, ProcessId, ProjectId, SessionId, UserId};
use domain::time::Timestamp;
use domain::work::execution::{ExecutionInput, ExecutionState, Program};
use domain::{Error, Result};
use serde_json::json;
use uuid::Uuid;

use crate::resources::leases::Lease;
use crate::resources::store::Store;
use crate::resources::work::executions::{ExecutionEnd, append_event, finish};
use crate::resources::work::session_events;

/// An execution, while this process works on it.
#[derive(Clone, Debug)]
pub struct CodeExecution {
    /// The execution.
    pub id: ExecutionId,
    /// The right to write for it.
    pub lease: Lease,
    /// The owner of the session's project.
    pub owner: OwnerId,
    /// The code.
    pub program: Program,
    /// The code's input.
    pub input: ExecutionInput,
}

/// A queued execution, as far as its turn depends on it.
#[derive(Clone, Copy, Debug)]
pub struct QueuedExecution {
    /// The user who requested it.
    pub user: UserId,
    /// The project of its session.
    pub project: ProjectId,
}

impl Store {
    /// Finds a queued execution.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn queued_execution(&self, execution: ExecutionId) -> Result<Option<QueuedExecution>> {
        let statement = executions::table
            .inner_join(sessions::table.on(sessions::id.eq(executions::session_id)))
            .filter(executions::id.eq(execution.0).and(executions::state.eq("queued")))
            .select((executions::user_id, sessions::project_id));
        let found: Option<(Uuid, Uuid)> = statement.first(&self.connection().await?).await.optional()?;
        Ok(found.map(|(user, project)| QueuedExecution { user: UserId(user), project: ProjectId(project) }))
    }

    /// Begins an execution that is assigned to this process; `None` if it is not, or has ended. It may be repeated with the same
    /// `now`, if the outcome is unknown.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn begin_execution(
        &self,
        execution: ExecutionId,
        process: ProcessId,
        now: Timestamp,
    ) -> Result<Option<CodeExecution>> {
        self.transaction(async |tx| {
            let taken = diesel::update(executions::table.find(execution.0))
                .filter(executions::process_id.eq(process.0))
                .filter(
                    executions::state
                        .eq("queued")
                        .or(executions::state.eq("running").and(executions::started_at.eq(now.0))),
                )
                .set((executions::state.eq("running"), executions::started_at.eq(now.0)))
                .execute(tx)
                .await?;
            if taken == 0 {
                return Ok(None);
            }
            let row: ExecutionWorkRow = executions::table
                .inner_join(sessions::table.on(sessions::id.eq(executions::session_id)))
                .inner_join(projects::table.on(projects::id.eq(sessions::project_id)))
                .filter(executions::id.eq(execution.0))
                .select(ExecutionWorkRow::as_select())
                .first(tx)
                .await?;
            let execution = row.into_execution(execution, process)?;
            let (state, session) = (ExecutionState::Running, execution.lease.session);
            append_event(tx, execution.id, session, &json!({ "state": state }), now).await?;
            Ok(Some(execution))
        })
        .await
    }

    /// Appends output, with its event; `false` if the lease is lost. `truncated`: later output is not kept.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn add_output(
        &self,
        execution: &CodeExecution,
        text: &str,
        truncated: bool,
        now: Timestamp,
    ) -> Result<bool> {
        self.with_lease(&execution.lease, async |tx| {
            let added = Statement::new(include_str!("add_output.sql"))
                .bind::<SqlUuid, _>(execution.id.0)
                .bind::<Text, _>(text.to_owned())
                .bind::<Bool, _>(truncated)
                .execute(tx)
                .await?;
            if added != 1 {
                return Err(Error::internal("output of a locked execution was not added"));
            }
            let data = json!({ "executionId": execution.id, "text": text, "truncated": truncated });
            let event = NewEvent { kind: EventType::ExecutionOutput, data };
            session_events::append(tx, execution.lease.session, now, &event).await
        })
        .await
    }

    /// Ends an execution; `false` if the lease is lost.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn end_execution(
        &self,
        execution: &CodeExecution,
        end: &ExecutionEnd,
        now: Timestamp,
    ) -> Result<bool> {
        self.with_lease(&execution.lease, async |tx| {
            finish(tx, execution.id, execution.lease.session, end, now).await
        })
        .await
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = executions)]
struct ExecutionWorkRow {
    session_id: Uuid,
    user_id: Uuid,
    api_key_id: Option<Uuid>,
    language: String,
    source: Option<Vec<u8>>,
    input: Vec<u8>,
    #[diesel(embed)]
    session: ExecutionSession,
    #[diesel(embed)]
    project: ProjectColumns,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
struct ExecutionSession {
    project_id: Uuid,
    branch: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = projects)]
struct ProjectColumns {
    owner_id: Uuid,
}

impl ExecutionWorkRow {
    fn into_execution(self, id: ExecutionId, process: ProcessId) -> Result<CodeExecution> {
        let source = String::from_utf8(self.source.unwrap_or_default()).map_err(Error::internal)?;
        let lease = Lease {
            job: id.into(),
            session: SessionId(self.session_id),
            project: ProjectId(self.session.project_id),
            branch: decode::parse(&self.session.branch)?,
            user: UserId(self.user_id),
            key: self.api_key_id.map(ApiKeyId),
            process,
        };
        Ok(CodeExecution {
            id,
            lease,
            owner: OwnerId(self.project.owner_id),
            program: Program { language: decode::text(&self.language)?, source },
            input: serde_json::from_slice(&self.input).map_err(Error::internal)?,
        })
    }
}
