//! Executions of Code objects. An execution is a job of one process, under a lease.

pub mod work;

use std::fmt::Display;

use auth::actor::{ProjectRead, ProjectWrite};
use database::prelude::*;
use database::schema::{evaluation_runs, executions};
use diesel::dsl::sql;
use diesel::sql_types::Timestamptz;
use domain::content::project::ProjectRef;
use domain::event::{EventType, NewEvent};
use domain::id::{EvaluationRunId, ExecutionId, ObjectId, ProcessId, SessionId, UserId};
use domain::time::Timestamp;
use domain::work::execution::{
    EvaluationRunRecord, ExecutionFailure, ExecutionFailureCode, ExecutionInput, ExecutionRecord,
    ExecutionState, Program,
};
use domain::{Code, Error, Result, Rule};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::execution::{Execution, OwnExecution};
use crate::access::rows::execution::ExecutionRow;
use crate::access::session::Session;
use crate::resources::branch_objects;
use crate::resources::leases::{JobId, JobKind, LEASE_FROM_NOW, lock};
use crate::resources::limits;
use crate::resources::store::Tx;
use crate::resources::work::runs::hold_open;
use crate::resources::work::session_events;

/// The kind of job that an execution is.
pub const CODE_EXECUTION: JobKind = JobKind {
    name: "code_execution",
    lock: include_str!("executions/lease/lock.sql"),
    lock_lost: include_str!("executions/lease/lock_lost.sql"),
    lost: include_str!("executions/lease/lost.sql"),
    reassign: include_str!("executions/lease/reassign.sql"),
    renew: include_str!("executions/lease/renew.sql"),
};

/// Most executions of a session in progress.
const OF_SESSION_MAX: usize = 20;
/// Most executions of a user in progress.
const OF_USER_MAX: usize = 100;
/// Most evaluation runs of an execution.
const EVALUATION_RUNS_MAX: i64 = 100;
/// `Retry-After` at these limits, in seconds.
const RETRY_AFTER_SECS: u32 = 5;

/// An execution to queue.
#[derive(Clone, Debug)]
pub struct NewExecution {
    /// The Code object.
    pub object: ObjectId,
    /// The code's input.
    pub input: ExecutionInput,
    /// The process that works on it.
    pub process: ProcessId,
}

/// The end of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutionEnd {
    /// The code came to its end.
    Completed,
    /// The execution failed.
    Failed(ExecutionFailure),
    /// The execution was stopped.
    Stopped,
}

impl From<ExecutionId> for JobId {
    fn from(execution: ExecutionId) -> Self {
        Self { kind: &CODE_EXECUTION, id: execution.0 }
    }
}

/// Queues an execution of a Code object of the session's branch, as the object is now.
///
/// # Errors
/// `INVALID_REQUEST` if there is no such Code object; `LANGUAGE_NOT_SUPPORTED`; `RATE_LIMITED` if the session has too many in
/// progress; `NOT_FOUND` if it is closed.
pub async fn create(
    tx: &mut Tx,
    session: &Session<ProjectWrite>,
    call: &Call<ProjectWrite>,
    new: &NewExecution,
) -> Result<ExecutionRecord> {
    let id = session.record.id;
    // Before other locks, so that nobody waits in a circle.
    limits::hold(tx, ("executions", call.actor.user.0)).await?;
    limits::hold(tx, ("executions", id.0)).await?;
    hold_open(tx, id).await?;
    // The request may name no branch.
    let at = ProjectRef { project: session.record.project, branch: Some(session.record.branch.clone()) };
    let branch = at.resolve(tx, call).await?.branch;
    let object = branch_objects::find(tx, session.record.project, &branch, new.object).await?;
    let missing = || Error::invalid("objectId", Rule::Exists, "is no object of the session's branch");
    let Program { language, source } = Program::of(&object.ok_or_else(missing)?)?;
    refuse_many(tx, id, call.actor.user).await?;
    let record = ExecutionRecord {
        id: ExecutionId::new(call.now),
        session: id,
        object: new.object,
        language,
        state: ExecutionState::Queued,
        failure: None,
        truncated: false,
        created_by: call.actor.user,
        created_at: call.now,
        started_at: None,
        ended_at: None,
    };
    diesel::insert_into(executions::table)
        .values((
            executions::id.eq(record.id.0),
            executions::session_id.eq(id.0),
            executions::object_id.eq(record.object.0),
            executions::language.eq(language.as_str()),
            executions::source.eq(source.into_bytes()),
            executions::input.eq(serde_json::to_vec(&new.input).map_err(Error::internal)?),
            executions::state.eq("queued"),
            executions::user_id.eq(record.created_by.0),
            executions::api_key_id.eq(call.actor.key().map(|key| key.0)),
            executions::process_id.eq(new.process.0),
            executions::lease_until.eq(sql::<Timestamptz>(LEASE_FROM_NOW)),
            executions::created_at.eq(record.created_at.0),
        ))
        .execute(tx)
        .await?;
    append_event(tx, record.id, id, &json!({ "objectId": record.object, "state": record.state }), call.now)
        .await?;
    Ok(record)
}

/// The session's executions, newest first, from before `before`.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    session: &Session<ProjectRead>,
    before: Option<ExecutionId>,
    rows: u32,
) -> Result<Vec<ExecutionRecord>> {
    let mut query = executions::table
        .filter(executions::session_id.eq(session.record.id.0))
        .order(executions::id.desc())
        .limit(i64::from(rows))
        .select(ExecutionRow::as_select())
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(executions::id.lt(before.0));
    }
    let rows = query.load(tx).await?;
    rows.into_iter().map(ExecutionRow::record).collect()
}

/// The output of an execution so far, up to the limit that is kept.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn output<P>(tx: &mut Tx, execution: &Execution<P>) -> Result<String> {
    executions::table
        .find(execution.record.id.0)
        .select(executions::output)
        .first(tx)
        .await
        .map_err(Error::from)
}

/// The process that works on an execution; `None` if it has ended.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn process(tx: &mut Tx, execution: &Execution<ProjectWrite>) -> Result<Option<ProcessId>> {
    let process: Option<Uuid> = executions::table
        .find(execution.record.id.0)
        .filter(executions::ended_at.is_null())
        .select(executions::process_id)
        .first(tx)
        .await
        .optional()?;
    Ok(process.map(ProcessId))
}

/// Stops an execution without its process; returns it. An execution that has already ended is unchanged.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn stop(
    tx: &mut Tx,
    execution: &Execution<ProjectWrite>,
    now: Timestamp,
) -> Result<ExecutionRecord> {
    let (id, session) = (execution.record.id, execution.record.session);
    if lock(tx, id.into(), None).await? {
        finish(tx, id, session, &ExecutionEnd::Stopped, now).await?;
    }
    let row: ExecutionRow = executions::table.find(id.0).select(ExecutionRow::as_select()).first(tx).await?;
    row.record()
}

/// Stops the executions of a session that is being closed.
pub(crate) async fn stop_all(tx: &mut Tx, session: SessionId, now: Timestamp) -> Result<()> {
    let in_progress: Vec<Uuid> = executions::table
        .filter(executions::session_id.eq(session.0).and(executions::ended_at.is_null()))
        .order(executions::id)
        .select(executions::id)
        .for_update()
        .load(tx)
        .await?;
    for id in in_progress {
        finish(tx, ExecutionId(id), session, &ExecutionEnd::Stopped, now).await?;
    }
    Ok(())
}

/// Creates an evaluation run for the execution whose grant was presented.
///
/// # Errors
/// `RATE_LIMITED` if the execution has made [`EVALUATION_RUNS_MAX`]; `UNAVAILABLE`.
pub async fn create_evaluation_run(
    tx: &mut Tx,
    execution: &OwnExecution,
    now: Timestamp,
) -> Result<EvaluationRunRecord> {
    limits::hold(tx, ("evaluationRuns", execution.id.0)).await?;
    let earlier: i64 = evaluation_runs::table
        .filter(evaluation_runs::execution_id.eq(execution.id.0))
        .count()
        .get_result(tx)
        .await?;
    if earlier >= EVALUATION_RUNS_MAX {
        return Err(too_many("execution", "evaluation runs of one execution", EVALUATION_RUNS_MAX));
    }
    let record = EvaluationRunRecord {
        id: EvaluationRunId::new(now),
        execution: execution.id,
        session: execution.granted.session,
        project: execution.project.record.id,
        branch: execution.granted.branch.clone(),
        created_at: now,
    };
    diesel::insert_into(evaluation_runs::table)
        .values((
            evaluation_runs::id.eq(record.id.0),
            evaluation_runs::execution_id.eq(record.execution.0),
            evaluation_runs::created_at.eq(now.0),
        ))
        .execute(tx)
        .await?;
    Ok(record)
}

/// Fails a locked execution whose process died.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn fail_lost(
    tx: &mut Tx,
    execution: ExecutionId,
    session: SessionId,
    now: Timestamp,
) -> Result<()> {
    let message = "The process that ran the code is gone.";
    let end = ExecutionEnd::Failed(ExecutionFailure::new(ExecutionFailureCode::ServiceFailed, message));
    finish(tx, execution, session, &end, now).await
}

/// Ends a locked execution.
async fn finish(
    tx: &mut Tx,
    id: ExecutionId,
    session: SessionId,
    end: &ExecutionEnd,
    now: Timestamp,
) -> Result<()> {
    let (state, failed) = match end {
        ExecutionEnd::Completed => (ExecutionState::Completed, None),
        ExecutionEnd::Failed(failure) => (ExecutionState::Failed, Some(failure)),
        ExecutionEnd::Stopped => (ExecutionState::Stopped, None),
    };
    let text = serde_json::to_value(state).map_err(Error::internal)?;
    let failed = failed.map(serde_json::to_value).transpose().map_err(Error::internal)?;
    let ended = diesel::update(executions::table.find(id.0).filter(executions::ended_at.is_null()))
        .set((
            executions::state.eq(text.as_str().unwrap_or_default()),
            executions::failure.eq(&failed),
            executions::source.eq(None::<Vec<u8>>),
            executions::ended_at.eq(now.0),
        ))
        .execute(tx)
        .await?;
    if ended != 1 {
        return Err(Error::internal("a locked execution has ended"));
    }
    let mut data = json!({ "state": state });
    if let (Some(failed), Some(fields)) = (failed, data.as_object_mut()) {
        fields.insert("failure".to_owned(), failed);
    }
    append_event(tx, id, session, &data, now).await
}

/// Refuses if the session or the user has too many executions in progress. Requests at the same moment may exceed the limits.
async fn refuse_many(tx: &mut Tx, session: SessionId, user: UserId) -> Result<()> {
    let in_progress: Vec<(Uuid, Uuid)> = executions::table
        .filter(executions::ended_at.is_null())
        .filter(executions::session_id.eq(session.0).or(executions::user_id.eq(user.0)))
        .select((executions::session_id, executions::user_id))
        .load(tx)
        .await?;
    let of_session = in_progress.iter().filter(|(of, _)| *of == session.0).count();
    let of_user = in_progress.iter().filter(|(_, of)| *of == user.0).count();
    match (of_session, of_user) {
        (OF_SESSION_MAX.., _) => {
            Err(too_many("session", "executions of one session in progress", OF_SESSION_MAX))
        }
        (_, OF_USER_MAX..) => Err(too_many("user", "executions of one user in progress", OF_USER_MAX)),
        _ => Ok(()),
    }
}

/// The refusal of one more than the limit.
fn too_many(scope: &str, counted: &str, limit: impl Display + Serialize) -> Error {
    let message = format!("At most {limit} {counted} are allowed.");
    let details = json!({ "scope": scope, "limit": limit });
    let mut error = Error::new(Code::RateLimited, message).with_details(details);
    error.retry_after_secs = Some(RETRY_AFTER_SECS);
    error
}

/// Appends the event of an execution's state.
async fn append_event(
    tx: &mut Tx,
    id: ExecutionId,
    session: SessionId,
    data: &Value,
    now: Timestamp,
) -> Result<()> {
    let mut data = data.clone();
    if let Some(fields) = data.as_object_mut() {
        fields.insert("executionId".to_owned(), json!(id));
    }
    session_events::append(tx, session, now, &NewEvent { kind: EventType::ExecutionChanged, data }).await
}
