//! Halt a session's run without closing the session.

use api::work::sessions::conversation::{StopRun, StopRunResponse};
use auth::actor::ProjectWrite;
use domain::Result;
use domain::work::conversation::RunStatus;
use domain::work::session::{SessionRecord, SessionStatus};
use store::Session;
use store::work::runs;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::sessions::status;

/// Halts the current run. The session and its conversation remain for a new prompt. Without a run, `stopped` is false
/// and the status is unchanged.
pub async fn handle(app: App, request: Request<ProjectWrite, StopRun>) -> Result<Reply<StopRunResponse>> {
    let call = &request.call;
    let at = request.path.target();
    let found =
        async |tx: &mut _, session: &_| runs::in_session(tx, session).await.map(|run| (record(session), run));
    let (record, run) = app.store.read(call, &at, found).await?;
    if let Some((run, process)) = run {
        app.jobs.stop(run, process).await;
        // Fallback for a process that does not answer.
        let end = async |tx: &mut _, session: &_| runs::stop(tx, session, run, call.now).await;
        let ended = app.store.mutate(call, &at, end).await?;
        app.link.announce_events(record.id);
        let (stopped, status) = (ended == RunStatus::Paused, SessionStatus::from(ended));
        let task_id = if stopped { run.to_string() } else { String::new() };
        return Ok(Reply::ok(StopRunResponse { session_id: record.id, task_id, stopped, status }));
    }
    let status = status(&app, &record).await;
    Ok(Reply::ok(StopRunResponse { session_id: record.id, task_id: String::new(), stopped: false, status }))
}

fn record(session: &Session<ProjectWrite>) -> SessionRecord {
    session.record.clone()
}
