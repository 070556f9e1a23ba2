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

use api::work::sessions::{FileUrls, GetSessionResponse, SessionBudget, SessionView};
use domain::id::{OwnerId, SessionId};
use domain::text::is_blank;
use domain::work::approval::ApprovableEffect;
use domain::work::conversation::{PromptText, RunStatus};
use domain::work::session::{ConnectionId, SessionRecord, SessionStatus};
use domain::{Code, Error, Result, Rule};
use futures_util::future::join;
use link::Presence;
use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of sessions.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(list::handle),
        endpoint(create::handle),
        endpoint(get::handle),
        endpoint(update::handle),
        endpoint(close::handle),
        endpoint(uploads::list::handle),
        endpoint(uploads::get::handle),
        endpoint(renew_grant::handle),
        endpoint(stop::handle),
        endpoint(prompt::handle),
        endpoint(messages::handle),
        endpoint(events::handle),
        endpoint(tools::list::handle),
        endpoint(tools::invoke::handle),
        endpoint(mcp::handle),
    ]
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
