//! Sessions on a project.

pub mod close;
pub mod create;
pub mod events;
pub mod get;
pub mod list;
pub mod mcp;
pub mod messages;
pub mod prompt;
pub mod renew_grant;
pub mod stop;
pub mod tools;
pub mod uploads;

use domain::conversation::PromptText;
use domain::id::{ProjectId, SessionId, UserId};
use domain::project::{BranchName, ProjectRef};
use domain::session::{ConnectionId, SessionRecord, SessionStatus};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::future::join;
use link::Presence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::SessionRef;

use crate::app::App;

/// The path of an operation on one session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The session.
    session_id: SessionId,
}

impl SessionPath {
    pub(super) fn target(&self) -> SessionRef {
        SessionRef { project: self.project_id.clone(), session: self.session_id }
    }
}

/// A session as its project's members read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Id.
    session_id: SessionId,
    /// The project that it opened.
    project_id: ProjectId,
    /// The branch that it works on.
    branch: BranchName,
    /// Its run status.
    status: SessionStatus,
    /// Whose session it is.
    created_by: UserId,
    /// When it was created.
    created_at: Timestamp,
    /// When it was closed; null while it is open.
    closed_at: Option<Timestamp>,
}

impl SessionView {
    fn of(record: SessionRecord, status: SessionStatus) -> Self {
        Self {
            status,
            session_id: record.id,
            project_id: record.project,
            branch: record.branch,
            created_by: record.created_by,
            created_at: record.created_at,
            closed_at: record.closed_at,
        }
    }
}

/// The status that holds for a session, within a bounded time: a closed one is no session, and of an open one its
/// host is asked.
async fn status(app: &App, record: &SessionRecord) -> SessionStatus {
    match record.closed_at {
        Some(_) => SessionStatus::NoSession,
        None => app.link.status(record.id).await,
    }
}

/// The statuses that hold for open sessions, in their order. No host is asked: it would look where this does.
async fn statuses(app: &App, records: &[SessionRecord]) -> Vec<SessionStatus> {
    let ids: Vec<SessionId> = records.iter().map(|record| record.id).collect();
    let (presences, runs) = join(app.link.presences(&ids), app.store.last_run_statuses(&ids)).await;
    let status = |(id, presence): (&SessionId, Presence)| match (presence, &runs) {
        (Presence::Lapsed, _) => SessionStatus::NoSession,
        (Presence::WithoutHost, _) => SessionStatus::ProjectNotRunning,
        (Presence::Live, Ok(runs)) => runs.get(id).map_or(SessionStatus::Idle, |run| (*run).into()),
        (Presence::Live, Err(_)) | (Presence::Unknown, _) => SessionStatus::Unknown,
    };
    ids.iter().zip(presences).map(status).collect()
}

/// Refuses a session that has lapsed. One that this process hosts has not, which needs no registry; and where the registry
/// can't say, nobody is kept from working.
async fn refuse_lapsed(app: &App, session: SessionId) -> Result<()> {
    if app.link.hosted(&ConnectionId::of_session(session)).is_some() {
        return Ok(());
    }
    match app.link.presences(&[session]).await.as_slice() {
        [Presence::Lapsed] => Err(Error::not_found()),
        _ => Ok(()),
    }
}

/// The name of a model of the deployment: `asked`, or else the first. `None` if there is no such model.
fn model_name(app: &App, asked: Option<&str>) -> Option<String> {
    app.models.find(asked).map(|model| model.name().to_owned())
}

fn no_model() -> Error {
    Error::new(Code::ModelNotConfigured, "This deployment has no model that could answer.")
}

/// Refuses a prompt that says nothing.
fn refuse_blank(prompt: &PromptText) -> Result<()> {
    if prompt.as_str().trim().is_empty() {
        return Err(Error::invalid("prompt", "required", "must say something"));
    }
    Ok(())
}
