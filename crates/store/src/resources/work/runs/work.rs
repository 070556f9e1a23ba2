//! The writes of the process that works on a run. Each locks the run's row, and writes nothing if the lease is lost: a process
//! that was suspended while another took over changes nothing.

use database::decode;
use database::prelude::*;
use database::schema::{session_runs, sessions};
use domain::error::Refusal;
use domain::event::NewEvent;
use domain::id::{ApiKeyId, ProcessId, ProjectId, RunId, SessionId, UserId};
use domain::time::Timestamp;
use domain::work::approval::ApprovableEffect;
use domain::work::conversation::{Message, MessagePart, ModelContent, Role, RunRecord, RunStatus};
use domain::work::usage::MicroCredits;
use domain::{Code, Error, Result};
use serde_json::json;
use uuid::Uuid;

use crate::resources::leases::Lease;
use crate::resources::store::{Store, Tx};
use crate::resources::work::conversation::{self, NewMessage};
use crate::resources::work::runs::{append_status_event, finish, refuse_exhausted};
use crate::resources::work::session_events;
use crate::resources::work::usage::{self, ModelCharge};

/// Most earlier messages that the model of a run reads.
const EARLIER_MESSAGES: u32 = 200;

/// A run, while this process works on it.
#[derive(Clone, Debug)]
pub struct AgentRun {
    /// The run.
    pub id: RunId,
    /// The right to write for it.
    pub lease: Lease,
    /// The model that answers.
    pub model: String,
    /// The toolboxes that it may use; `None`: all.
    pub toolboxes: Option<Vec<String>>,
    /// The effects that its tools may have without a question.
    pub auto_approved: Vec<ApprovableEffect>,
}

/// The end of a run.
#[derive(Clone, Debug)]
pub struct RunEnd {
    /// The last status.
    pub status: RunStatus,
    /// The reason of a failure.
    pub failure: Option<Refusal>,
    /// The interrupted call of the model, if any.
    pub cut_off: Option<InterruptedCall>,
}

/// The conversation for the model of a run.
#[derive(Clone, Debug)]
pub struct RunConversation {
    /// The messages, in their order.
    pub messages: Vec<Message>,
    /// The session's budget, if it has one.
    pub allowance: Option<Allowance>,
}

/// A session's budget that is not spent.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    budget: MicroCredits,
    spent: MicroCredits,
}

/// An answer of the model, with what belongs to it.
#[derive(Clone, Debug)]
pub struct NewModelAnswer<'a> {
    /// Text and calls of tools.
    pub parts: &'a [MessagePart],
    /// The answer as its server sent it, if the parts don't hold all of it.
    pub content: Option<ModelContent>,
    /// Results of calls that can't be made.
    pub results: Vec<NewToolResult>,
    /// Its cost.
    pub spent: ModelCharge,
}

/// The result of a tool, with what belongs to it.
#[derive(Clone, Debug)]
pub struct NewToolResult {
    /// The result.
    pub part: MessagePart,
    /// Its pictures, if it has any.
    pub content: Option<ModelContent>,
    /// The event that announces it.
    pub event: NewEvent,
}

/// An interrupted call of a model, as far as it is known. Its whole answer may have been stored nevertheless.
#[derive(Clone, Debug)]
pub struct InterruptedCall {
    /// The received text.
    pub text: String,
    /// The cost so far.
    pub spent: ModelCharge,
}

impl AgentRun {
    fn message(&self, role: Role, parts: Vec<MessagePart>, now: Timestamp) -> NewMessage {
        let (session, run, prompted_by) = (self.lease.session, Some(self.id), Some(self.lease.user));
        NewMessage { session, run, prompted_by, role, parts, model_content: None, now }
    }
}

impl Allowance {
    /// The credits that are left.
    pub fn left(self) -> MicroCredits {
        MicroCredits(self.budget.0.saturating_sub(self.spent.0))
    }

    /// The failure of a run whose next call of the model may cost `least` or more, which is too much.
    pub fn exceeded_by(self, least: MicroCredits) -> Error {
        let Self { budget, spent } = self;
        let message = format!(
            "The next call of the model may cost {least} credits, and {} of the session's budget are left.",
            self.left()
        );
        let details = json!({
            "budget": budget.to_string(), "spent": spent.to_string(), "needed": least.to_string(),
        });
        Error::new(Code::CreditsExhausted, message).with_details(details)
    }
}

impl RunEnd {
    /// The run was stopped.
    pub fn paused() -> Self {
        Self { status: RunStatus::Paused, failure: None, cut_off: None }
    }

    /// The run finished.
    pub fn completed() -> Self {
        Self { status: RunStatus::Completed, ..Self::paused() }
    }

    /// The run failed.
    pub fn failed(failure: Refusal) -> Self {
        Self { status: RunStatus::Failed, failure: Some(failure), ..Self::paused() }
    }
}

impl Store {
    /// Begins a run that is assigned to this process; `None` if it is not, or has ended.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn begin_run(
        &self,
        run: RunId,
        process: ProcessId,
        now: Timestamp,
    ) -> Result<Option<AgentRun>> {
        self.transaction(async |tx| {
            let taken = diesel::update(session_runs::table.find(run.0))
                .filter(session_runs::status.eq("starting").and(session_runs::process_id.eq(process.0)))
                .set(session_runs::status.eq("running"))
                .execute(tx)
                .await?;
            if taken == 0 {
                return Ok(None);
            }
            let row: RunRow = session_runs::table
                .inner_join(sessions::table.on(sessions::id.eq(session_runs::session_id)))
                .filter(session_runs::id.eq(run.0))
                .select(RunRow::as_select())
                .first(tx)
                .await?;
            let run = row.into_run(run, process)?;
            let session = run.lease.session;
            let record = RunRecord { id: run.id, session, status: RunStatus::Running, failure: None };
            append_status_event(tx, &record, now).await?;
            Ok(Some(run))
        })
        .await
    }

    /// The conversation for the model.
    ///
    /// # Errors
    /// `CREDITS_EXHAUSTED` if the session's budget is spent; `UNAVAILABLE`.
    pub async fn conversation(&self, run: &AgentRun) -> Result<RunConversation> {
        self.transaction(async |tx| {
            let budget: Option<i64> = sessions::table
                .find(run.lease.session.0)
                .select(sessions::budget_micro_credits)
                .first(tx)
                .await?;
            let spent = refuse_exhausted(tx, run.lease.session, budget).await?;
            let allowance = budget.map(|budget| Allowance { budget: MicroCredits(budget), spent });
            let messages =
                conversation::list_for_run(tx, run.lease.session, run.id, EARLIER_MESSAGES).await?;
            Ok(RunConversation { messages, allowance })
        })
        .await
    }

    /// Adds an answer of the model, with its cost; `false` if the lease is lost.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn add_answer(&self, run: &AgentRun, new: NewModelAnswer<'_>, now: Timestamp) -> Result<bool> {
        let NewModelAnswer { parts, content, results, spent } = new;
        self.with_lease(&run.lease, async |tx| {
            if !parts.is_empty() {
                let message = run.message(Role::Assistant, parts.to_vec(), now);
                conversation::append(tx, NewMessage { model_content: content.clone(), ..message }).await?;
            }
            for result in &results {
                append_result(tx, run, result, now).await?;
            }
            usage::record(tx, (run.id, &run.lease), &spent, now).await
        })
        .await
    }

    /// Adds the result of a tool, with its event; `false` if the lease is lost.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn add_result(&self, run: &AgentRun, result: &NewToolResult, now: Timestamp) -> Result<bool> {
        self.with_lease(&run.lease, async |tx| append_result(tx, run, result, now).await).await
    }

    /// Appends an event of the run; `false` if the lease is lost.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn add_run_event(&self, run: &AgentRun, event: &NewEvent, now: Timestamp) -> Result<bool> {
        self.with_lease(&run.lease, async |tx| {
            session_events::append(tx, run.lease.session, now, event).await
        })
        .await
    }

    /// Ends the run; `false` if the lease is lost.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn end_run(&self, run: &AgentRun, end: &RunEnd, now: Timestamp) -> Result<bool> {
        self.with_lease(&run.lease, async |tx| {
            if let Some(cut_off) = &end.cut_off {
                store_interrupted(tx, run, cut_off, now).await?;
            }
            finish(tx, run.id, run.lease.session, end, now).await
        })
        .await
    }
}

async fn append_result(tx: &mut Tx, run: &AgentRun, result: &NewToolResult, now: Timestamp) -> Result<()> {
    let NewToolResult { part, content, event } = result.clone();
    let message = run.message(Role::Tool, vec![part], now);
    conversation::append(tx, NewMessage { model_content: content, ..message }).await?;
    session_events::append(tx, run.lease.session, now, &event).await
}

/// Stores the text and cost of an interrupted call, unless its answer was stored: the commit may have been on its way.
async fn store_interrupted(
    tx: &mut Tx,
    run: &AgentRun,
    cut_off: &InterruptedCall,
    now: Timestamp,
) -> Result<()> {
    let InterruptedCall { text, spent } = cut_off;
    if usage::is_recorded(tx, spent.call).await? {
        return Ok(());
    }
    usage::record(tx, (run.id, &run.lease), spent, now).await?;
    if !text.is_empty() {
        let parts = vec![MessagePart::Text { text: text.clone() }];
        conversation::append(tx, run.message(Role::Assistant, parts, now)).await?;
    }
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = session_runs)]
struct RunRow {
    session_id: Uuid,
    user_id: Uuid,
    api_key_id: Option<Uuid>,
    model: String,
    #[diesel(embed)]
    session: RunSession,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
struct RunSession {
    project_id: Uuid,
    branch: String,
    toolboxes: Option<Vec<String>>,
    auto_approved: Option<Vec<String>>,
}

impl RunRow {
    fn into_run(self, id: RunId, process: ProcessId) -> Result<AgentRun> {
        let lease = Lease {
            job: id.into(),
            session: SessionId(self.session_id),
            project: ProjectId(self.session.project_id),
            branch: decode::parse(&self.session.branch)?,
            user: UserId(self.user_id),
            key: self.api_key_id.map(ApiKeyId),
            process,
        };
        let auto_approved = match self.session.auto_approved {
            Some(effects) => effects.iter().map(|effect| decode::text(effect)).collect::<Result<_>>()?,
            None => ApprovableEffect::DEFAULT.to_vec(),
        };
        Ok(AgentRun { id, lease, model: self.model, toolboxes: self.session.toolboxes, auto_approved })
    }
}
