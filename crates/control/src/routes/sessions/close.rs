//! Close a session. Its grants are invalid from the commit on.

use auth::actor::ProjectWrite;
use domain::id::SessionId;
use domain::job::JobId;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::{runs, sessions};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::sessions::{SessionPath, refuse_lapsed};

/// The closed session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CloseSessionResponse")]
pub struct Answer {
    deleted: bool,
    session_id: SessionId,
}

/// Closes a session and revokes its grants.
pub async fn handle(app: App, request: Request<ProjectWrite, SessionPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let at = request.path.target();
    // The run's process stores the model's partial answer and its cost.
    let run = app.store.read(call, &at, async |tx, session| runs::in_session(tx, session).await).await?;
    refuse_lapsed(&app, at.session).await?;
    if let Some((run, process)) = run {
        app.jobs.stop(JobId::AgentRun(run), process).await;
    }
    let closed =
        app.store.mutate(call, &at, async |tx, session| sessions::close(tx, session, call).await).await?;
    if !closed {
        return Err(Error::not_found());
    }
    app.link.announce_events(at.session);
    app.link.release_session(at.session).await;
    Ok(Reply::ok(Answer { deleted: true, session_id: at.session }))
}
