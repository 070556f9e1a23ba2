//! Prompt a session's agent. The session's host works on the run.

use auth::actor::ProjectWrite;
use domain::conversation::PromptText;
use domain::id::{RunId, SessionId};
use domain::session::SessionStatus;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::runs;
use store::sessions;
use wire::{Accepted, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::sessions::SessionPath;

/// What is asked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PromptSessionRequest")]
pub struct Body {
    /// What the agent is to do.
    prompt: PromptText,
}

/// The run that answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PromptSessionResponse")]
pub struct Answer {
    session_id: SessionId,
    /// The run.
    task_id: RunId,
    /// What it is doing.
    status: SessionStatus,
}

/// Adds a message to the session's conversation and begins a run that answers it. The answer is read as messages, and
/// followed as events. One run goes on in a session at a time.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, SessionPath, NoQuery, Json<Body>>,
) -> Result<Accepted<Answer>> {
    let call = &request.call;
    let at = request.path.target();
    let prompt = request.body.0.prompt;
    if prompt.as_str().trim().is_empty() {
        return Err(Error::invalid("body.prompt", "required", "must say something"));
    }
    let asked = app
        .store
        .read(call, &at, async |tx, session| match session.record.closed_at {
            None => sessions::model(tx, session).await,
            Some(_) => Err(Error::not_found()),
        })
        .await?;
    let model = app.runs.model(asked.as_deref())?;
    let host = app.link.ensure_hosted(at.session).await?.ok_or_else(Error::not_found)?.host;
    let new = app.runs.plan(vec![prompt], model, host);
    let run =
        app.store.mutate(call, &at, async |tx, session| runs::start(tx, session, call, &new).await).await?;
    app.link.announce_events(at.session);
    app.runs.dispatch(run.id, host).await?;
    let status = SessionStatus::from(run.status);
    Ok(Reply::accepted(Answer { session_id: at.session, task_id: run.id, status }))
}
