//! Questions whether a session's agent may call a tool. Asking one ends the run as paused, in the transaction that writes
//! the question; answering it resumes the run. So no process waits, and a question outlives all of them.

use auth::actor::{ProjectRead, ProjectWrite};
use database::decode;
use database::prelude::*;
use database::schema::{session_runs, tool_approvals};
use diesel::dsl::sql;
use diesel::sql_types::Timestamptz;
use domain::event::{EventType, NewEvent};
use domain::id::{ApprovalId, ProcessId, RunId, SessionId, UserId};
use domain::time::Timestamp;
use domain::work::approval::{ApprovalDecision, ApprovalReason, ApprovalRecord, ApprovalStatus, ToolEffect};
use domain::work::conversation::{MessagePart, Role, RunRecord, RunStatus};
use domain::{Code, Error, Result};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::session::Session;
use crate::resources::leases::LEASE_FROM_NOW;
use crate::resources::store::{Store, Tx};
use crate::resources::work::conversation::{self, NewMessage};
use crate::resources::work::runs::work::{AgentRun, RunEnd};
use crate::resources::work::runs::{append_status_event, hold_open, refuse_exhausted, write_end};
use crate::resources::work::session_events;

/// A call of a tool that needs an answer.
#[derive(Clone, Debug)]
pub struct NewApproval {
    /// The model's id of the call.
    pub call_id: String,
    /// The tool, as `{toolbox}__{tool}`.
    pub tool: String,
    /// Its arguments.
    pub params: Map<String, Value>,
    /// Its effects.
    pub effects: Vec<ToolEffect>,
    /// Why it is asked.
    pub reason: ApprovalReason,
}

/// An answer to a question.
#[derive(Clone, Copy, Debug)]
pub struct NewAnswer {
    /// The question.
    pub id: ApprovalId,
    /// The answer.
    pub decision: ApprovalDecision,
    /// The process that works on the resumed run.
    pub process: ProcessId,
}

impl Store {
    /// Asks whether a run may call a tool, and pauses the run; `false` if the lease is lost.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn request_approval(&self, run: &AgentRun, new: &NewApproval, now: Timestamp) -> Result<bool> {
        self.with_lease(&run.lease, async |tx| {
            let session = run.lease.session;
            let id = ApprovalId::new(now);
            let effects: Result<Vec<String>> = new.effects.iter().map(decode::word).collect();
            diesel::insert_into(tool_approvals::table)
                .values((
                    tool_approvals::id.eq(id.0),
                    tool_approvals::session_id.eq(session.0),
                    tool_approvals::run_id.eq(run.id.0),
                    tool_approvals::call_id.eq(&new.call_id),
                    tool_approvals::tool.eq(&new.tool),
                    tool_approvals::params.eq(Value::Object(new.params.clone())),
                    tool_approvals::effects.eq(effects?),
                    tool_approvals::reason.eq(decode::word(new.reason)?),
                    tool_approvals::status.eq(decode::word(ApprovalStatus::Pending)?),
                    tool_approvals::prompted_by.eq(run.lease.user.0),
                    tool_approvals::requested_at.eq(now.0),
                ))
                .execute(tx)
                .await?;
            // Without the arguments: who may read them is decided for each reader.
            let data = json!({
                "approvalId": id, "taskId": run.id, "callId": new.call_id, "name": new.tool,
                "effects": new.effects, "reason": new.reason,
            });
            let event = NewEvent { kind: EventType::ApprovalRequested, data };
            session_events::append(tx, session, now, &event).await?;
            write_end(tx, run.id, session, &RunEnd::paused(), now).await
        })
        .await
    }

    /// The state of the question about a call; `None` if none was asked.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn approval_of_call(&self, run: RunId, call_id: &str) -> Result<Option<ApprovalStatus>> {
        let statement = tool_approvals::table
            .filter(tool_approvals::run_id.eq(run.0).and(tool_approvals::call_id.eq(call_id.to_owned())))
            .select(tool_approvals::status);
        let status: Option<String> = statement.first(&self.connection().await?).await.optional()?;
        status.map(|status| decode::text(&status)).transpose()
    }
}

/// The session's questions before `before`, newest first; only those in `status`, if it is given.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    session: &Session<ProjectRead>,
    status: Option<ApprovalStatus>,
    before: Option<ApprovalId>,
    rows: u32,
) -> Result<Vec<ApprovalRecord>> {
    let mut query = tool_approvals::table
        .filter(tool_approvals::session_id.eq(session.record.id.0))
        .order(tool_approvals::id.desc())
        .limit(i64::from(rows))
        .select(ApprovalRow::as_select())
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(tool_approvals::id.lt(before.0));
    }
    if let Some(status) = status {
        query = query.filter(tool_approvals::status.eq(decode::word(status)?));
    }
    let rows: Vec<ApprovalRow> = query.load(tx).await?;
    rows.into_iter().map(ApprovalRow::record).collect()
}

/// A question of the session.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn get<P>(tx: &mut Tx, session: &Session<P>, id: ApprovalId) -> Result<ApprovalRecord> {
    let row: Option<ApprovalRow> = tool_approvals::table
        .find(id.0)
        .filter(tool_approvals::session_id.eq(session.record.id.0))
        .select(ApprovalRow::as_select())
        .first(tx)
        .await
        .optional()?;
    row.ok_or_else(Error::not_found)?.record()
}

/// Answers a question and resumes its run, which acts for the caller from then on.
///
/// # Errors
/// `NOT_FOUND`, also if the session is closed; `APPROVAL_NOT_PENDING`; `CREDITS_EXHAUSTED`.
pub async fn answer(
    tx: &mut Tx,
    session: &Session<ProjectWrite>,
    call: &Call<ProjectWrite>,
    answer: &NewAnswer,
) -> Result<ApprovalRecord> {
    let id = session.record.id;
    let budget = hold_open(tx, id).await?;
    refuse_exhausted(tx, id, budget).await?;
    let status = match answer.decision {
        ApprovalDecision::Approve => ApprovalStatus::Approved,
        ApprovalDecision::Deny => ApprovalStatus::Denied,
    };
    let row: Option<ApprovalRow> = diesel::update(tool_approvals::table.find(answer.id.0))
        .filter(tool_approvals::session_id.eq(id.0).and(tool_approvals::status.eq("pending")))
        .set((
            tool_approvals::status.eq(decode::word(status)?),
            tool_approvals::answered_by.eq(call.actor.user.0),
            tool_approvals::answered_at.eq(call.now.0),
        ))
        .returning(ApprovalRow::as_returning())
        .get_result(tx)
        .await
        .optional()?;
    let Some(row) = row else {
        let found = get(tx, session, answer.id).await?;
        return Err(Error::new(Code::ApprovalNotPending, "The question is not open any more.")
            .with_details(json!({ "status": found.status })));
    };
    let record = row.record()?;
    append_answered(tx, &record, call.now).await?;
    let resumed = diesel::update(session_runs::table.find(record.run.0))
        .filter(session_runs::status.eq("paused"))
        .set((
            session_runs::status.eq("starting"),
            session_runs::user_id.eq(call.actor.user.0),
            session_runs::api_key_id.eq(call.actor.key().map(|key| key.0)),
            session_runs::process_id.eq(answer.process.0),
            session_runs::lease_until.eq(sql::<Timestamptz>(LEASE_FROM_NOW)),
            session_runs::ended_at.eq(None::<OffsetDateTime>),
        ))
        .execute(tx)
        .await?;
    if resumed != 1 {
        return Err(Error::internal("the run of an open question is not paused"));
    }
    let run = RunRecord { id: record.run, session: id, status: RunStatus::Starting, failure: None };
    append_status_event(tx, &run, call.now).await?;
    Ok(record)
}

/// Ends the session's open question, if any: a new prompt comes first. Its call, and those after it, get results that say
/// so.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn supersede(tx: &mut Tx, session: &Session<ProjectWrite>, now: Timestamp) -> Result<()> {
    supersede_open(tx, session.record.id, now).await
}

/// Ends a session's open question, if any, as [`supersede`].
pub(crate) async fn supersede_open(tx: &mut Tx, session: SessionId, now: Timestamp) -> Result<()> {
    let open = tool_approvals::table
        .filter(tool_approvals::session_id.eq(session.0).and(tool_approvals::status.eq("pending")));
    let row: Option<ApprovalRow> = diesel::update(open)
        .set((
            tool_approvals::status.eq(decode::word(ApprovalStatus::Superseded)?),
            tool_approvals::answered_at.eq(now.0),
        ))
        .returning(ApprovalRow::as_returning())
        .get_result(tx)
        .await
        .optional()?;
    let Some(row) = row else { return Ok(()) };
    let record = row.record()?;
    append_answered(tx, &record, now).await?;
    let parts: Vec<MessagePart> = conversation::unanswered_calls(tx, session)
        .await?
        .into_iter()
        .map(|(call_id, name)| MessagePart::ToolResult {
            call_id,
            name,
            is_error: true,
            text: "The tool was not called: the user went on without approving it.".to_owned(),
        })
        .collect();
    if parts.is_empty() {
        return Ok(());
    }
    let (run, prompted_by) = (Some(record.run), Some(record.prompted_by));
    let (role, model_content) = (Role::Tool, None);
    conversation::append(tx, NewMessage { session, run, prompted_by, role, parts, model_content, now })
        .await?;
    Ok(())
}

async fn append_answered(tx: &mut Tx, record: &ApprovalRecord, now: Timestamp) -> Result<()> {
    let data = json!({
        "approvalId": record.id, "taskId": record.run, "callId": record.call_id, "name": record.tool,
        "status": record.status, "answeredBy": record.answered_by,
    });
    let event = NewEvent { kind: EventType::ApprovalAnswered, data };
    session_events::append(tx, record.session, now, &event).await
}

/// A question's columns.
#[derive(Queryable, Selectable)]
#[diesel(table_name = tool_approvals)]
struct ApprovalRow {
    id: Uuid,
    session_id: Uuid,
    run_id: Uuid,
    call_id: String,
    tool: String,
    params: Value,
    effects: Vec<String>,
    reason: String,
    status: String,
    prompted_by: Uuid,
    requested_at: OffsetDateTime,
    answered_by: Option<Uuid>,
    answered_at: Option<OffsetDateTime>,
}

impl ApprovalRow {
    fn record(self) -> Result<ApprovalRecord> {
        Ok(ApprovalRecord {
            id: ApprovalId(self.id),
            session: SessionId(self.session_id),
            run: RunId(self.run_id),
            call_id: self.call_id,
            tool: self.tool,
            params: serde_json::from_value(self.params).map_err(Error::internal)?,
            effects: self.effects.iter().map(|effect| decode::text(effect)).collect::<Result<_>>()?,
            reason: decode::text(&self.reason)?,
            status: decode::text(&self.status)?,
            prompted_by: UserId(self.prompted_by),
            requested_at: Timestamp::from(self.requested_at),
            answered_by: self.answered_by.map(UserId),
            answered_at: self.answered_at.map(Timestamp::from),
        })
    }
}
