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
pub mod update;
pub mod uploads;

use std::slice;

use api::sessions::{FileUrls, GetSessionResponse, SessionBudget, SessionView};
use domain::approval::ApprovableEffect;
use domain::conversation::{PromptText, RunStatus};
use domain::id::{OwnerId, SessionId};
use domain::project::ProjectRef;
use domain::session::{ConnectionId, SessionRecord, SessionStatus};
use domain::text::is_blank;
use domain::{Code, Error, Result, Rule};
use futures_util::future::join;
use link::Presence;
use schemars::JsonSchema;
use serde::Deserialize;
use store::SessionRef;
use wire::{Endpoint, Resource, delete, get, patch, post};

use crate::app::App;
use crate::routes::mcp::transport;

/// The endpoints of sessions.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/sessions").with([
        get("", "listSessions", "List a project's open sessions", list::handle)
            .tool_of_clients("sessions", "controls the session itself"),
        post("", "createSession", "Open a session", create::handle)
            .shows_secret()
            .not_a_tool("controls the session itself"),
        get("/{sessionId}", "getSession", "Read a session", get::handle)
            .tool_of_clients("sessions", "controls the session itself"),
        patch("/{sessionId}", "updateSession", "Change a session's budget", update::handle)
            .conditional()
            .not_a_tool("controls the session itself"),
        delete("/{sessionId}", "closeSession", "Close a session", close::handle)
            .conditional()
            .not_a_tool("controls the session itself"),
        get(
            "/{sessionId}/uploads",
            "listUploads",
            "List a session's uploads in pieces",
            uploads::list::handle,
        )
        .tool("files"),
        get(
            "/{sessionId}/uploads/{uploadId}",
            "getUpload",
            "Read the state of an upload",
            uploads::get::handle,
        )
        .tool("files"),
        post("/{sessionId}/grant", "renewGrant", "Renew a session's grant", renew_grant::handle)
            .shows_secret()
            .not_a_tool("controls the session itself"),
        post("/{sessionId}/stop", "stopRun", "Stop a session's run", stop::handle)
            .not_a_tool("controls the session itself"),
        post("/{sessionId}/prompt", "promptSession", "Prompt a session's agent", prompt::handle)
            .not_a_tool("controls the session itself"),
        get("/{sessionId}/messages", "listMessages", "Read a session's conversation", messages::handle)
            .tool_of_clients("sessions", "controls the session itself"),
        get("/{sessionId}/events", "streamEvents", "Follow a session's events", events::handle)
            .reads(&[("Last-Event-ID", "The `id` of the last event that the client has seen.")])
            .not_a_tool("controls the session itself"),
        get("/{sessionId}/tools", "listTools", "List the tools of a session", tools::list::handle)
            .not_a_tool("controls the session itself"),
        post("/{sessionId}/tools/invoke", "invokeTool", "Invoke a tool", tools::invoke::handle)
            .not_a_tool("controls the session itself"),
        post("/{sessionId}/mcp", "callMcp", "Use a session's tools over MCP", mcp::handle)
            .reads(&[transport::PROTOCOL_VERSION, transport::METHOD, transport::NAME])
            .not_a_tool("controls the session itself"),
    ])
}

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

/// The answer about a session.
fn answer(app: &App, owner: OwnerId, record: SessionRecord, status: SessionStatus) -> GetSessionResponse {
    GetSessionResponse { session: view(app, owner, record, status) }
}

/// A session with its URLs.
fn view(app: &App, owner: OwnerId, record: SessionRecord, status: SessionStatus) -> SessionView {
    let urls = file_urls(app, owner, &record);
    let settings = record.settings;
    SessionView {
        status,
        owner_id: owner,
        urls,
        session_id: record.id,
        project_id: record.project,
        branch: record.branch,
        created_by: record.created_by,
        created_at: record.created_at,
        closed_at: record.closed_at,
        model: settings.model,
        toolboxes: settings.toolboxes,
        budget: settings.budget.map(|credits| SessionBudget { credits }),
        auto_approve: settings.auto_approved.unwrap_or_else(|| ApprovableEffect::DEFAULT.to_vec()),
    }
}

/// The URLs of files through a session's connection.
fn file_urls(app: &App, owner: OwnerId, record: &SessionRecord) -> FileUrls {
    let connection = ConnectionId::of_session(record.id);
    app.grants.file_urls(owner, record.created_by, (record.project, &record.branch), &connection)
}

/// The current status of a session.
async fn status(app: &App, record: &SessionRecord) -> SessionStatus {
    match record.closed_at {
        Some(_) => SessionStatus::NoSession,
        None => statuses(app, slice::from_ref(record)).await.pop().unwrap_or(SessionStatus::Unknown),
    }
}

/// The current statuses of open sessions, in their order, by the registry and the database.
async fn statuses(app: &App, records: &[SessionRecord]) -> Vec<SessionStatus> {
    let ids: Vec<SessionId> = records.iter().map(|record| record.id).collect();
    let (presences, runs) = join(app.link.presences(&ids), app.store.last_run_statuses(&ids)).await;
    let status = |(id, presence): (&SessionId, Presence)| match &runs {
        Ok(runs) => status_by(presence, runs.get(id).copied()),
        Err(_) if matches!(presence, Presence::Live) => SessionStatus::Unknown,
        Err(_) => status_by(presence, None),
    };
    ids.iter().zip(presences).map(status).collect()
}

/// The status of an open session by its registration and its last run.
fn status_by(presence: Presence, last_run: Option<RunStatus>) -> SessionStatus {
    match presence {
        Presence::Lapsed => SessionStatus::NoSession,
        Presence::WithoutHost => SessionStatus::ProjectNotRunning,
        Presence::Live => last_run.map_or(SessionStatus::Idle, SessionStatus::from),
        Presence::Unknown => SessionStatus::Unknown,
    }
}

/// Refuses a lapsed session. A session that this process hosts needs no registry. Without an answer of the registry,
/// the session counts as present.
async fn refuse_lapsed(app: &App, session: SessionId) -> Result<()> {
    if app.link.hosted(&ConnectionId::of_session(session)).is_some() {
        return Ok(());
    }
    match app.link.presence(session).await {
        Presence::Lapsed => Err(Error::not_found()),
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

/// Refuses a blank prompt.
fn refuse_blank(prompt: &PromptText) -> Result<()> {
    if is_blank(prompt.as_str()) {
        return Err(Error::broken("prompt", Rule::format("visible-text")));
    }
    Ok(())
}
