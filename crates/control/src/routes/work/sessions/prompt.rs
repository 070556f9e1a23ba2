//! Prompt a session's agent. The session's host executes the run.

use api::work::sessions::conversation::{PromptSession, PromptSessionResponse};
use auth::actor::ProjectWrite;
use domain::work::session::SessionStatus;
use domain::{Error, Result};
use store::work::approvals;
use store::work::runs::{self, NewRun};
use wire::{Accepted, Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::sessions::{model_name, no_model, refuse_blank};

/// Adds a message to the session's conversation and starts a run that answers it. The answer appears in the messages
/// and in the events. A session has one run at a time. A repeat under the same idempotency key answers the same run.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, PromptSession>,
) -> Result<Accepted<PromptSessionResponse>> {
    let call = &request.call;
    let at = request.path.target();
    let prompt = request.body.0.prompt;
    refuse_blank(&prompt)?;
    let is_open =
        app.store.read(call, &at, async |_, session| Ok(session.record.closed_at.is_none())).await?;
    // For a closed session, only an earlier answer can be replayed.
    let host = if is_open { app.link.worker_for(at.session).await? } else { None };
    let outcome = app
        .store
        .create(call, &at, async |tx, session| {
            let process = host.ok_or_else(Error::not_found)?;
            let asked = session.record.settings.model.as_deref();
            let model = model_name(&app, asked).ok_or_else(no_model)?;
            let new = NewRun { prompts: vec![prompt.clone()], model, process, at_most: app.max_runs };
            approvals::supersede(tx, session, call.now).await?;
            runs::start(tx, session, call, &new).await
        })
        .await?;
    if let (Some(host), false) = (host, outcome.replayed) {
        app.link.announce_events(at.session);
        let run = outcome.value.id;
        // The run exists, also if its dispatch fails.
        if let Err(error) = app.jobs.dispatch(run, host).await {
            tracing::warn!(run.id = %run, "error.chain" = error.chain(), "run not dispatched; waiting for lease expiry");
        }
    }
    Ok(Reply::accepted(outcome.map(|run| PromptSessionResponse {
        session_id: at.session,
        task_id: run.id,
        status: SessionStatus::from(run.status),
    })))
}
