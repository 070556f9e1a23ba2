//! What the process that works on a run writes for it. Each function holds the run's row, and does nothing where the run
//! has ended or is another process's by now: a process that slept through its replacement changes nothing any more.

use auth::actor::{Actor, Presented};
use auth::permission::Permissions;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::conversation::{Message, Part, Role, RunRecord, RunStatus};
use domain::error::Refusal;
use domain::event::NewEvent;
use domain::id::{ApiKeyId, ProcessId, ProjectId, RunId, SessionId, UserId};
use domain::project::BranchName;
use domain::time::Timestamp;
use domain::usage::TokenCounts;
use domain::{Error, Result};
use uuid::Uuid;

use crate::db::config::Store;
use crate::db::decode;
use crate::db::error::failure;
use crate::db::schema::{session_runs, sessions};
use crate::db::transaction::Tx;
use crate::resources::conversation::{self, NewMessage};
use crate::resources::leases::Leased;
use crate::resources::runs::{finish, refuse_exhausted, tell};
use crate::resources::session_events;
use crate::resources::usage::{self, Spent};

/// Most messages from before a run that its model is given.
const EARLIER_MESSAGES: u32 = 200;

/// Proof that a process was given a run.
#[derive(Clone, Debug)]
pub struct Work {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// The session's project.
    pub project: ProjectId,
    /// Who prompted it.
    pub user: UserId,
    process: ProcessId,
}

/// A run, as the process gets it that is to work on it.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// What lets the process write for it.
    pub work: Work,
    /// The session's branch.
    pub branch: BranchName,
    /// The key that it was prompted with; `None` for a browser session.
    pub key: Option<ApiKeyId>,
    /// The model that answers.
    pub model: String,
    /// The toolboxes that it may use; `None`: all.
    pub toolboxes: Option<Vec<String>>,
}

/// How a run ends.
#[derive(Clone, Debug)]
pub struct End {
    /// Its last status.
    pub status: RunStatus,
    /// Why it failed.
    pub failure: Option<Refusal>,
    /// The call of the model that it ended in.
    pub cut_off: Option<CutOff>,
}

/// A call of a model that was cut off, as far as is known: it may have been stored whole nevertheless.
#[derive(Clone, Debug)]
pub struct CutOff {
    /// What the model had said.
    pub text: String,
    /// What that cost.
    pub spent: Spent,
}

impl Work {
    fn held(&self) -> (Uuid, ProcessId) {
        (self.run.0, self.process)
    }

    fn message(&self, role: Role, parts: Vec<Part>, now: Timestamp) -> NewMessage {
        let (session, run, prompted_by) = (self.session, Some(self.run), Some(self.user));
        NewMessage { session, run, prompted_by, role, parts, now }
    }
}

impl End {
    /// It was stopped.
    pub fn paused() -> Self {
        Self { status: RunStatus::Paused, failure: None, cut_off: None }
    }

    /// It finished.
    pub fn completed() -> Self {
        Self { status: RunStatus::Completed, ..Self::paused() }
    }

    /// It failed.
    pub fn failed(failure: Refusal) -> Self {
        Self { status: RunStatus::Failed, failure: Some(failure), ..Self::paused() }
    }
}

impl Store {
    /// Takes up a run that was given to this process; `None` where it was not, or somebody has ended it.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn begin_run(
        &self,
        run: RunId,
        process: ProcessId,
        now: Timestamp,
    ) -> Result<Option<Assignment>> {
        self.as_system(async |tx| {
            let taken = diesel::update(session_runs::table.find(run.0))
                .filter(session_runs::status.eq("starting").and(session_runs::process_id.eq(process.0)))
                .set(session_runs::status.eq("running"))
                .execute(tx.connection()?)
                .await
                .map_err(failure)?;
            if taken == 0 {
                return Ok(None);
            }
            let row: AssignmentRow = session_runs::table
                .inner_join(sessions::table.on(sessions::id.eq(session_runs::session_id)))
                .filter(session_runs::id.eq(run.0))
                .select(AssignmentRow::as_select())
                .first(tx.connection()?)
                .await
                .map_err(failure)?;
            let assignment = row.assignment(run, process)?;
            let session = assignment.work.session;
            let record = RunRecord { id: run, session, status: RunStatus::Running, failure: None };
            tell(tx, &record, now).await?;
            Ok(Some(assignment))
        })
        .await
    }

    /// Who prompted a run, with what the credential still may.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` where the credential can't be used any more.
    pub async fn actor_of_run(&self, of: &Assignment, now: Timestamp) -> Result<Actor> {
        self.actor_still(of.work.user, of.key, now).await
    }

    /// A user with what a credential of theirs still may: this key, or a browser session.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` where the key can't be used any more.
    pub(crate) async fn actor_still(
        &self,
        user: UserId,
        key: Option<ApiKeyId>,
        now: Timestamp,
    ) -> Result<Actor> {
        match key {
            Some(key) => self.find_actor_by_key_id(key, now).await?.ok_or_else(Error::unauthenticated),
            None => Ok(Actor {
                user,
                credential: Presented::Browser,
                ceiling: Permissions::all(),
                confinement: None,
                acting_in: None,
            }),
        }
    }

    /// The conversation as a model is to read it.
    ///
    /// # Errors
    /// `CREDITS_EXHAUSTED` where the session's budget is spent; `UNAVAILABLE`.
    pub async fn conversation(&self, work: &Work) -> Result<Vec<Message>> {
        self.as_system(async |tx| {
            let budget: Option<i64> = sessions::table
                .find(work.session.0)
                .select(sessions::budget_micro_credits)
                .first(tx.connection()?)
                .await
                .map_err(failure)?;
            refuse_exhausted(tx, work.session, budget).await?;
            conversation::of_run(tx, work.session, work.run, EARLIER_MESSAGES).await
        })
        .await
    }

    /// Adds what the model answered, with what that cost.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn add_answer(
        &self,
        work: &Work,
        parts: &[Part],
        spent: &Spent,
        now: Timestamp,
    ) -> Result<bool> {
        self.as_worker(Leased::Runs, work.held(), async |tx| {
            if !parts.is_empty() {
                conversation::append(tx, work.message(Role::Assistant, parts.to_vec(), now)).await?;
            }
            usage::record(tx, work, spent, now).await
        })
        .await
    }

    /// Adds what a tool answered, with its event.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn add_result(
        &self,
        work: &Work,
        result: &Part,
        event: &NewEvent,
        now: Timestamp,
    ) -> Result<bool> {
        self.as_worker(Leased::Runs, work.held(), async |tx| {
            conversation::append(tx, work.message(Role::Tool, vec![result.clone()], now)).await?;
            session_events::append(tx, work.session, now, event).await
        })
        .await
    }

    /// Tells those who follow the session what the run does.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn tell_of_run(&self, work: &Work, event: &NewEvent, now: Timestamp) -> Result<bool> {
        self.as_worker(Leased::Runs, work.held(), async |tx| {
            session_events::append(tx, work.session, now, event).await
        })
        .await
    }

    /// Ends the run.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn end_run(&self, work: &Work, end: &End, now: Timestamp) -> Result<bool> {
        self.as_worker(Leased::Runs, work.held(), async |tx| {
            if let Some(cut_off) = &end.cut_off {
                keep(tx, work, cut_off, now).await?;
            }
            finish(tx, work.run, work.session, end, now).await
        })
        .await
    }
}

/// Stores what is known of a call that was cut off, unless its answer was stored: who cut it off may have done so while
/// the commit was on its way.
async fn keep(tx: &mut Tx, work: &Work, cut_off: &CutOff, now: Timestamp) -> Result<()> {
    let CutOff { text, spent } = cut_off;
    if usage::is_recorded(tx, spent.call).await? {
        return Ok(());
    }
    if spent.tokens != TokenCounts::default() {
        usage::record(tx, work, spent, now).await?;
    }
    if !text.is_empty() {
        let parts = vec![Part::Text { text: text.clone() }];
        conversation::append(tx, work.message(Role::Assistant, parts, now)).await?;
    }
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = session_runs)]
struct AssignmentRow {
    session_id: Uuid,
    user_id: Uuid,
    api_key_id: Option<Uuid>,
    model: String,
    #[diesel(embed)]
    session: AssignedSession,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
struct AssignedSession {
    project_id: Uuid,
    branch: String,
    toolboxes: Option<Vec<String>>,
}

impl AssignmentRow {
    fn assignment(self, run: RunId, process: ProcessId) -> Result<Assignment> {
        let work = Work {
            run,
            session: SessionId(self.session_id),
            project: ProjectId(self.session.project_id),
            user: UserId(self.user_id),
            process,
        };
        Ok(Assignment {
            work,
            branch: decode::parse(&self.session.branch)?,
            key: self.api_key_id.map(ApiKeyId),
            model: self.model,
            toolboxes: self.session.toolboxes,
        })
    }
}
