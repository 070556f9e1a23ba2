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

use domain::id::{ProjectId, SessionId, UserId};
use domain::project::{BranchName, ProjectRef};
use domain::session::{SessionRecord, SessionStatus};
use domain::time::Timestamp;
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
    async fn of(app: &App, record: SessionRecord) -> Self {
        Self {
            status: status(app, &record).await,
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
