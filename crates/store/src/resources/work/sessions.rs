//! Records of sessions, which outlive every process. The crate `link` knows the host of a live session.

mod lapsed;

use auth::actor::{Actor, ActorGrant, ProjectRead, ProjectWrite, Purpose};
use database::decode;
use database::prelude::*;
use database::schema::{api_keys, branches, executions as execution_rows, projects, sessions};
use diesel::dsl::{exists, not};
use diesel::sql_types::{Nullable, Uuid as SqlUuid};
use domain::content::project::BranchName;
use domain::event::change::ChangeData;
use domain::event::change::data::SessionEventData;
use domain::event::{EventType, NewEvent};
use domain::id::{ApiKeyId, ExecutionId, ProjectId, SessionId, UserId};
use domain::time::Timestamp;
use domain::work::approval::ApprovableEffect;
use domain::work::conversation::PromptText;
use domain::work::session::{SessionRecord, SessionSettings};
use domain::work::usage::MicroCredits;
use domain::{Error, Result};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::rows::session::SessionSettingsRow;
use crate::access::session::Session;
use crate::resources::audit;
use crate::resources::limits;
use crate::resources::outbox::{ChangeOrigin, NewChangeEvent};
use crate::resources::store::{Store, Tx};
use crate::resources::work::approvals;
use crate::resources::work::executions;
use crate::resources::work::runs;
use crate::resources::work::session_events;

/// Changes of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionChanges {
    /// The agent's budget; `Some(None)`: unlimited.
    pub budget: Option<Option<MicroCredits>>,
}

/// Opens a session on the witness' branch. A user has at most `limit` open sessions.
///
/// # Errors
/// `LIMIT_REACHED`; `NOT_FOUND` if the branch was deleted meanwhile.
pub async fn create(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    settings: SessionSettings,
    limit: u32,
) -> Result<Session<ProjectWrite>> {
    let open =
        sessions::table.filter(sessions::created_by.eq(project.user.0).and(sessions::closed_at.is_null()));
    let count = async |tx: &mut Tx| -> Result<i64> { Ok(open.count().get_result(tx).await?) };
    limits::count_and_refuse(tx, ("sessions", project.user.0), limit, count).await?;
    let record = SessionRecord {
        id: SessionId::new(call.now),
        project: project.record.id,
        branch: project.branch.name.clone(),
        created_by: project.user,
        created_at: call.now,
        closed_at: None,
        settings,
    };
    // The deletion of a branch closes its sessions, so it must see all of them.
    project.hold_branches(tx).await?;
    let branch: Option<Uuid> =
        branches::table.find(project.branch.id).select(branches::id).first(tx).await.optional()?;
    branch.ok_or_else(Error::not_found)?;
    let settings = &record.settings;
    let words = |effects: &Vec<ApprovableEffect>| effects.iter().map(decode::word).collect();
    let auto_approved: Option<Vec<String>> = settings.auto_approved.as_ref().map(words).transpose()?;
    diesel::insert_into(sessions::table)
        .values((
            sessions::id.eq(record.id.0),
            sessions::project_id.eq(record.project.0),
            sessions::branch.eq(record.branch.as_str()),
            sessions::created_by.eq(record.created_by.0),
            sessions::api_key_id.eq(call.actor.key().map(|key| key.0)),
            sessions::created_at.eq(record.created_at.0),
            sessions::model.eq(settings.model.as_ref()),
            sessions::toolboxes.eq(settings.toolboxes.as_ref()),
            sessions::budget_micro_credits.eq(settings.budget.map(|credits| credits.0)),
            sessions::auto_approved.eq(auto_approved),
        ))
        .execute(tx)
        .await?;
    audit::record(tx, call, record.id.0).await?;
    let data = json!({ "branch": record.branch, "createdBy": record.created_by });
    let created = NewEvent { kind: EventType::SessionCreated, data };
    session_events::append(tx, record.id, call.now, &created).await?;
    let change = ChangeData::SessionCreated(SessionEventData { session_id: record.id });
    tx.publish(NewChangeEvent::of_project(call, record.project, change));
    Ok(Session::opened_by(call, record, project.clone()))
}

/// Locks an open session until the transaction ends; returns it as it is now.
///
/// # Errors
/// `NOT_FOUND` if it is closed.
pub async fn hold(tx: &mut Tx, session: &Session<ProjectWrite>) -> Result<SessionRecord> {
    let open = sessions::table.find(session.record.id.0).filter(sessions::closed_at.is_null());
    let row: Option<SessionRow> =
        open.select(SessionRow::as_select()).for_update().first(tx).await.optional()?;
    row.ok_or_else(Error::not_found)?.record()
}

/// Changes a session that is held by [`hold`]; returns it.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn update(
    tx: &mut Tx,
    mut record: SessionRecord,
    call: &Call<ProjectWrite>,
    changes: &SessionChanges,
) -> Result<SessionRecord> {
    if let Some(budget) = changes.budget {
        record.settings.budget = budget;
        diesel::update(sessions::table.find(record.id.0))
            .set(sessions::budget_micro_credits.eq(budget.map(|credits| credits.0)))
            .execute(tx)
            .await?;
    }
    audit::record(tx, call, record.id.0).await?;
    Ok(record)
}

/// Takes the project's initial prompt for a session of the project's creator. It is given out once: `None` if it was taken
/// before, there is no prompt, or the session has another creator.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn take_initial_prompt(tx: &mut Tx, session: &Session<ProjectWrite>) -> Result<Option<PromptText>> {
    let taken: Option<Option<String>> = diesel::update(projects::table.find(session.record.project.0))
        .filter(projects::initial_prompt.is_not_null().and(projects::initial_prompt_session_id.is_null()))
        .filter(projects::created_by.eq(session.record.created_by.0))
        .set(projects::initial_prompt_session_id.eq(session.record.id.0))
        .returning(projects::initial_prompt)
        .get_result(tx)
        .await
        .optional()?;
    taken.flatten().map(decode::bounded).transpose()
}

/// The project's open sessions before `before`, newest first; those of one branch, if it is given.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    branch: Option<&BranchName>,
    before: Option<SessionId>,
    rows: u32,
) -> Result<Vec<SessionRecord>> {
    let mut query = sessions::table
        .filter(sessions::project_id.eq(project.record.id.0).and(sessions::closed_at.is_null()))
        .order(sessions::id.desc())
        .limit(i64::from(rows))
        .select(SessionRow::as_select())
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(sessions::id.lt(before.0));
    }
    if let Some(branch) = branch {
        query = query.filter(sessions::branch.eq(branch.as_str()));
    }
    let rows = query.load(tx).await?;
    rows.into_iter().map(SessionRow::record).collect()
}

/// Closes a session; `false` if it was closed before. After the commit, no grant of it is accepted and no upload is
/// attached through it.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn close(tx: &mut Tx, session: &Session<ProjectWrite>, call: &Call<ProjectWrite>) -> Result<bool> {
    let closed = close_by(tx, session.record.id, Some(&call.actor), call.now).await?;
    if closed {
        audit::record(tx, call, session.record.id.0).await?;
    }
    Ok(closed)
}

/// Closes the open sessions of the witness' branch, which the caller deletes; returns them. The caller holds the project's
/// branches.
pub(crate) async fn close_all(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
) -> Result<Vec<SessionId>> {
    let open: Vec<Uuid> = sessions::table
        .filter(sessions::project_id.eq(project.record.id.0).and(sessions::closed_at.is_null()))
        .filter(sessions::branch.eq(project.branch.name.as_str()))
        .order(sessions::id)
        .select(sessions::id)
        .load(tx)
        .await?;
    close_each(tx, open, Some(&call.actor), call.now).await
}

/// Closes those of `sessions` that are open; returns them. `actor` is `None` for an operator.
pub(crate) async fn close_each(
    tx: &mut Tx,
    sessions: impl IntoIterator<Item = Uuid>,
    actor: Option<&Actor>,
    now: Timestamp,
) -> Result<Vec<SessionId>> {
    let mut closed = Vec::new();
    for session in sessions.into_iter().map(SessionId) {
        if close_by(tx, session, actor, now).await? {
            closed.push(session);
        }
    }
    Ok(closed)
}

/// Closes a session; `actor` is `None` for a lapsed one.
async fn close_by(tx: &mut Tx, session: SessionId, actor: Option<&Actor>, now: Timestamp) -> Result<bool> {
    let open = sessions::table.find(session.0).filter(sessions::closed_at.is_null());
    let closing = diesel::update(open).set(sessions::closed_at.eq(now.0)).returning(sessions::project_id);
    let project: Option<Uuid> = closing.get_result(tx).await.optional()?;
    if let Some(project) = project {
        runs::stop_all(tx, session, now).await?;
        approvals::supersede_open(tx, session, now).await?;
        executions::stop_all(tx, session, now).await?;
        let data = json!({ "closedBy": actor.map(|actor| actor.user) });
        let closed = NewEvent { kind: EventType::SessionClosed, data };
        session_events::append(tx, session, now, &closed).await?;
        let change = ChangeData::SessionClosed(SessionEventData { session_id: session });
        let origin = ChangeOrigin::of(actor, now);
        tx.publish(NewChangeEvent::of_project(origin, ProjectId(project), change));
    }
    Ok(project.is_some())
}

/// The execution that an automation grant depends on; `None` for a grant with another purpose.
///
/// # Errors
/// `UNAUTHENTICATED` if its connection is not an execution's.
pub(crate) fn execution(grant: &ActorGrant) -> Result<Option<ExecutionId>> {
    match &grant.purpose {
        Purpose::Automation(granted) => {
            granted.connection.execution().map(Some).ok_or_else(Error::unauthenticated)
        }
        Purpose::Session(_) | Purpose::Evaluation(_) | Purpose::Download | Purpose::Attachments => Ok(None),
    }
}

impl Store {
    /// Checks that a grant of a user is alive: its session is open, its key is neither revoked nor expired, and its execution
    /// is running, as far as it has these; without a key, the user is not disabled.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if it is not; `UNAVAILABLE` if the database does not answer: an unchecked grant is not accepted.
    pub async fn check_grant(&self, user: UserId, grant: &ActorGrant) -> Result<()> {
        let Some(granted) = grant.session() else {
            return match grant.key {
                Some(key) => self.check_key(key).await,
                None if self.has_user(user).await? => Ok(()),
                None => Err(Error::grant_ended()),
            };
        };
        let execution_id = execution(grant)?.map(|execution| execution.0).into_sql::<Nullable<SqlUuid>>();
        let running = execution_rows::table
            .filter(execution_rows::id.nullable().eq(execution_id).and(execution_rows::state.eq("running")));
        let has_ended = api_keys::revoked_at.is_not_null().or(api_keys::expires_at.le(diesel::dsl::now));
        let ended_key =
            api_keys::table.filter(api_keys::id.nullable().eq(grant.key.map(|key| key.0)).and(has_ended));
        let statement = sessions::table
            .find(granted.session.0)
            .filter(sessions::project_id.eq(grant.project.0).and(sessions::closed_at.is_null()))
            .filter(not(exists(ended_key)))
            .filter(execution_id.is_null().or(exists(running)))
            .select(sessions::id);
        let alive: Option<Uuid> = statement.first(&self.connection().await?).await.optional()?;
        alive.map(|_| ()).ok_or_else(Error::grant_ended)
    }

    /// Checks that the credential of a call is still valid, for work that outlives the call's own check.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if it is not; `UNAVAILABLE`.
    pub async fn check_credential(&self, actor: &Actor) -> Result<()> {
        match (actor.key(), actor.browser_token()) {
            (Some(key), _) => self.check_key(key).await,
            (None, Some(token)) => self.check_browser_token(actor.user, token).await.map(|_| ()),
            (None, None) if self.has_user(actor.user).await? => Ok(()),
            (None, None) => Err(Error::unauthenticated()),
        }
    }

    async fn check_key(&self, key: ApiKeyId) -> Result<()> {
        let statement = api_keys::table
            .find(key.0)
            .filter(api_keys::revoked_at.is_null().and(api_keys::expires_at.gt(diesel::dsl::now)))
            .select(api_keys::id);
        let alive: Option<Uuid> = statement.first(&self.connection().await?).await.optional()?;
        alive.map(|_| ()).ok_or_else(Error::unauthenticated)
    }
}

/// A session's columns.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
struct SessionRow {
    id: Uuid,
    project_id: Uuid,
    branch: String,
    created_by: Uuid,
    created_at: OffsetDateTime,
    closed_at: Option<OffsetDateTime>,
    #[diesel(embed)]
    settings: SessionSettingsRow,
}

impl SessionRow {
    fn record(self) -> Result<SessionRecord> {
        Ok(SessionRecord {
            id: SessionId(self.id),
            project: ProjectId(self.project_id),
            branch: decode::parse(&self.branch)?,
            created_by: UserId(self.created_by),
            created_at: Timestamp::from(self.created_at),
            closed_at: self.closed_at.map(Timestamp::from),
            settings: self.settings.settings()?,
        })
    }
}
