//! Agent runs. A run is a job of one process, under a lease. Each way of ending a run leaves a conversation that the next run
//! can continue.

pub mod work;

use std::collections::HashMap;

use auth::actor::ProjectWrite;
use database::decode;
use database::prelude::*;
use database::schema::{session_runs, sessions};
use diesel::dsl::sql;
use diesel::sql_types::{Array, Text, Timestamptz, Uuid as SqlUuid};
use domain::error::Refusal;
use domain::event::{EventType, NewEvent};
use domain::id::{ProcessId, RunId, SessionId, UserId};
use domain::time::Timestamp;
use domain::work::conversation::{MessagePart, PromptText, Role, RunRecord, RunStatus};
use domain::work::usage::MicroCredits;
use domain::{Code, Error, Result};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::session::Session;
use crate::resources::leases::{JobId, JobKind, LEASE_FROM_NOW, lock};
use crate::resources::store::{Store, Tx};
use crate::resources::work::conversation::{self, NewMessage};
use crate::resources::work::runs::work::RunEnd;
use crate::resources::work::session_events;
use crate::resources::work::usage;

/// The kind of job that a run is.
pub const AGENT_RUN: JobKind = JobKind {
    name: "agent_run",
    lock: include_str!("runs/lease/lock.sql"),
    lock_lost: include_str!("runs/lease/lock_lost.sql"),
    lost: include_str!("runs/lease/lost.sql"),
    reassign: include_str!("runs/lease/reassign.sql"),
    renew: include_str!("runs/lease/renew.sql"),
};

/// A run to start.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// The prompts, in order.
    pub prompts: Vec<PromptText>,
    /// The name of the model in this deployment.
    pub model: String,
    /// The process that works on it.
    pub process: ProcessId,
    /// Most runs of the process, this one included. Runs that start at the same moment may exceed it.
    pub at_most: u32,
}

/// Starts a run in an open session.
///
/// # Errors
/// `RUN_IN_PROGRESS`; `CREDITS_EXHAUSTED`; `NOT_FOUND` if the session is closed; `UNAVAILABLE` if the process has no place
/// for another run.
pub async fn start(
    tx: &mut Tx,
    session: &Session<ProjectWrite>,
    call: &Call<ProjectWrite>,
    new: &NewRun,
) -> Result<RunRecord> {
    let id = session.record.id;
    let budget = hold_open(tx, id).await?;
    refuse_exhausted(tx, id, budget).await?;
    let of_process = session_runs::table
        .filter(session_runs::ended_at.is_null().and(session_runs::process_id.eq(new.process.0)))
        .count();
    let running: i64 = of_process.get_result(tx).await?;
    let run = RunId::new(call.now);
    let inserted = diesel::insert_into(session_runs::table)
        .values((
            session_runs::id.eq(run.0),
            session_runs::session_id.eq(id.0),
            session_runs::status.eq("starting"),
            session_runs::user_id.eq(call.actor.user.0),
            session_runs::api_key_id.eq(call.actor.key().map(|key| key.0)),
            session_runs::model.eq(&new.model),
            session_runs::process_id.eq(new.process.0),
            session_runs::lease_until.eq(sql::<Timestamptz>(LEASE_FROM_NOW)),
            session_runs::started_at.eq(call.now.0),
        ))
        .execute(tx)
        .await;
    match inserted {
        Ok(_) => {}
        Err(error) if error.violates_unique("session_runs_in_progress") => return Err(in_progress()),
        Err(error) => return Err(error.into()),
    }
    // `RUN_IN_PROGRESS` takes precedence.
    if running >= i64::from(new.at_most) {
        return Err(too_many());
    }
    let record = RunRecord { id: run, session: id, status: RunStatus::Starting, failure: None };
    append_status_event(tx, &record, call.now).await?;
    for prompt in &new.prompts {
        add_prompt(tx, call, id, Some(run), prompt).await?;
    }
    Ok(record)
}

/// Adds a prompt to the conversation of a new session, for its first run.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn stage(
    tx: &mut Tx,
    session: &Session<ProjectWrite>,
    call: &Call<ProjectWrite>,
    prompt: &PromptText,
) -> Result<()> {
    add_prompt(tx, call, session.record.id, None, prompt).await
}

/// The session's run in progress and its process; `None` if there is no run.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn in_session(tx: &mut Tx, session: &Session<ProjectWrite>) -> Result<Option<(RunId, ProcessId)>> {
    let found: Option<(Uuid, Uuid)> = session_runs::table
        .filter(session_runs::session_id.eq(session.record.id.0).and(session_runs::ended_at.is_null()))
        .select((session_runs::id, session_runs::process_id))
        .first(tx)
        .await
        .optional()?;
    Ok(found.map(|(run, process)| (RunId(run), ProcessId(process))))
}

/// The session's last run and its status; `None` if there was no run.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn last(tx: &mut Tx, session: &Session<ProjectWrite>) -> Result<Option<(RunId, RunStatus)>> {
    let statement = Statement::new(include_str!("runs/last_statuses.sql"));
    let rows: Vec<SessionStatusRow> =
        statement.bind::<Array<SqlUuid>, _>(vec![session.record.id.0]).load(tx).await?;
    rows.as_slice().first().map(|row| Ok((RunId(row.run_id), decode::text(&row.status)?))).transpose()
}

/// The runs in progress on the witness' branch, with their processes.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn on_branch(tx: &mut Tx, project: &Project<ProjectWrite>) -> Result<Vec<(RunId, ProcessId)>> {
    let found: Vec<(Uuid, Uuid)> = session_runs::table
        .inner_join(sessions::table)
        .filter(sessions::project_id.eq(project.record.id.0).and(session_runs::ended_at.is_null()))
        .filter(sessions::branch.eq(project.branch.name.as_str()))
        .select((session_runs::id, session_runs::process_id))
        .load(tx)
        .await?;
    Ok(found.into_iter().map(|(run, process)| (RunId(run), ProcessId(process))).collect())
}

/// Stops a run without its process; returns its last status. A run that has already ended keeps its status.
///
/// # Errors
/// `NOT_FOUND` if the session has no such run.
pub async fn stop(
    tx: &mut Tx,
    session: &Session<ProjectWrite>,
    run: RunId,
    now: Timestamp,
) -> Result<RunStatus> {
    if lock(tx, run.into(), None).await? {
        finish(tx, run, session.record.id, &RunEnd::paused(), now).await?;
    }
    let status: String = session_runs::table
        .find(run.0)
        .filter(session_runs::session_id.eq(session.record.id.0))
        .select(session_runs::status)
        .first(tx)
        .await
        .optional()?
        .ok_or_else(Error::not_found)?;
    decode::text(&status)
}

/// Stops the run of a session that is being closed, if any.
pub(crate) async fn stop_all(tx: &mut Tx, session: SessionId, now: Timestamp) -> Result<()> {
    let run: Option<Uuid> = session_runs::table
        .filter(session_runs::session_id.eq(session.0).and(session_runs::ended_at.is_null()))
        .select(session_runs::id)
        .for_update()
        .first(tx)
        .await
        .optional()?;
    match run {
        Some(run) => finish(tx, RunId(run), session, &RunEnd::paused(), now).await,
        None => Ok(()),
    }
}

impl From<RunId> for JobId {
    fn from(run: RunId) -> Self {
        Self { kind: &AGENT_RUN, id: run.0 }
    }
}

impl Store {
    /// The status of the last run of each of these sessions that has had one.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn last_run_statuses(&self, sessions: &[SessionId]) -> Result<HashMap<SessionId, RunStatus>> {
        let ids: Vec<Uuid> = sessions.iter().map(|session| session.0).collect();
        let statement = Statement::new(include_str!("runs/last_statuses.sql")).bind::<Array<SqlUuid>, _>(ids);
        let found: Vec<SessionStatusRow> = statement.load(&self.connection().await?).await?;
        found.into_iter().map(|row| Ok((SessionId(row.session_id), decode::text(&row.status)?))).collect()
    }
}

/// Fails a locked run whose process died.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn fail_lost(tx: &mut Tx, run: RunId, session: SessionId, now: Timestamp) -> Result<()> {
    let error = Error::new(Code::Unavailable, "The process that ran the agent is gone.");
    finish(tx, run, session, &RunEnd::failed(Refusal::from(&error)), now).await
}

/// Ends a locked run. Calls of tools without a result get one, so that the conversation can go on.
async fn finish(tx: &mut Tx, run: RunId, session: SessionId, end: &RunEnd, now: Timestamp) -> Result<()> {
    let parts: Vec<MessagePart> = conversation::unanswered_calls(tx, session)
        .await?
        .into_iter()
        .map(|(call_id, name)| MessagePart::ToolResult {
            call_id,
            name,
            is_error: true,
            text: "The run ended before this call was answered. It may have had an effect.".to_owned(),
        })
        .collect();
    if !parts.is_empty() {
        let user: Uuid = session_runs::table.find(run.0).select(session_runs::user_id).first(tx).await?;
        let (run, prompted_by) = (Some(run), Some(UserId(user)));
        let (role, model_content) = (Role::Tool, None);
        let new = NewMessage { session, run, prompted_by, role, parts, model_content, now };
        conversation::append(tx, new).await?;
    }
    write_end(tx, run, session, end, now).await
}

/// Writes the end of a locked run. Its open calls of tools stay open.
pub(crate) async fn write_end(
    tx: &mut Tx,
    run: RunId,
    session: SessionId,
    end: &RunEnd,
    now: Timestamp,
) -> Result<()> {
    let status = serde_json::to_value(end.status).map_err(Error::internal)?;
    let failed = end.failure.as_ref().map(serde_json::to_value).transpose().map_err(Error::internal)?;
    let ended = diesel::update(session_runs::table.find(run.0).filter(session_runs::ended_at.is_null()))
        .set((
            session_runs::status.eq(status.as_str().unwrap_or_default()),
            session_runs::failure.eq(failed),
            session_runs::ended_at.eq(now.0),
        ))
        .execute(tx)
        .await?;
    if ended != 1 {
        return Err(Error::internal("a locked run has ended"));
    }
    let record = RunRecord { id: run, session, status: end.status, failure: end.failure.clone() };
    append_status_event(tx, &record, now).await
}

/// Locks an open session against closing until the transaction ends; returns its budget.
pub(crate) async fn hold_open(tx: &mut Tx, session: SessionId) -> Result<Option<i64>> {
    sessions::table
        .find(session.0)
        .filter(sessions::closed_at.is_null())
        .select(sessions::budget_micro_credits)
        .for_share()
        .first(tx)
        .await
        .optional()?
        .ok_or_else(Error::not_found)
}

/// Refuses if the session's budget is spent; returns the spent credits.
pub(crate) async fn refuse_exhausted(
    tx: &mut Tx,
    session: SessionId,
    budget: Option<i64>,
) -> Result<MicroCredits> {
    let Some(budget) = budget else { return Ok(MicroCredits::default()) };
    let spent = usage::session_total(tx, session).await?;
    if spent.0 < budget {
        return Ok(spent);
    }
    let details = json!({ "budget": MicroCredits(budget).to_string(), "spent": spent.to_string() });
    Err(Error::new(Code::CreditsExhausted, "The session's budget is spent.").with_details(details))
}

/// Adds a user's message to the conversation.
async fn add_prompt(
    tx: &mut Tx,
    call: &Call<ProjectWrite>,
    session: SessionId,
    run: Option<RunId>,
    prompt: &PromptText,
) -> Result<()> {
    let parts = vec![MessagePart::Text { text: prompt.as_str().to_owned() }];
    let (prompted_by, role, now) = (run.map(|_| call.actor.user), Role::User, call.now);
    let new = NewMessage { session, run, prompted_by, role, parts, model_content: None, now };
    conversation::append(tx, new).await?;
    Ok(())
}

#[derive(QueryableByName)]
struct SessionStatusRow {
    #[diesel(sql_type = SqlUuid)]
    run_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    session_id: Uuid,
    #[diesel(sql_type = Text)]
    status: String,
}

/// Appends the event of a run's status.
pub(crate) async fn append_status_event(tx: &mut Tx, run: &RunRecord, now: Timestamp) -> Result<()> {
    let mut data = json!({ "taskId": run.id, "status": run.status });
    if let (Some(failure), Some(fields)) = (&run.failure, data.as_object_mut()) {
        fields.insert("failure".to_owned(), serde_json::to_value(failure).unwrap_or(Value::Null));
    }
    session_events::append(tx, run.session, now, &NewEvent { kind: EventType::RunStatus, data }).await
}

fn too_many() -> Error {
    Error::overloaded("The service is working on the most runs that it can. Try again later.", 5)
}

fn in_progress() -> Error {
    Error::new(Code::RunInProgress, "A run of this session is in progress. Stop it, or wait for its end.")
}
