//! What this process does for others as the host of sessions.

use domain::Error;
use domain::id::SessionId;
use domain::session::{ConnectionId, SessionStatus};
use domain::time::Timestamp;
use domain::upload::{AttachOutcome, LockedRows};
use link::{Failure, Link, Request, Response, SentUpload};
use store::Store;
use store::uploads::FinishedUpload;
use tokio_util::task::LocalPoolHandle;

use crate::executions::Executions;
use crate::runs::Runs;

/// Threads that answer other processes; each has many requests under way.
const THREADS: usize = 2;

/// Answers the requests that other processes send to the sessions hosted here.
pub fn serve(link: &Link, store: Store, runs: Runs, executions: Executions) {
    let hosted = link.clone();
    // The store's work stays on the thread where it began, as it does in the server's workers.
    let threads = LocalPoolHandle::new(THREADS);
    link.serve(move |request| {
        let (link, store) = (hosted.clone(), store.clone());
        let (runs, executions) = (runs.clone(), executions.clone());
        let answered = threads.spawn_pinned(move || answer(link, store, runs, executions, request));
        async move {
            answered.await.unwrap_or_else(|panic| Response::Failed(Failure::from(&Error::internal(panic))))
        }
    });
}

async fn answer(link: Link, store: Store, runs: Runs, executions: Executions, request: Request) -> Response {
    match request {
        Request::Attach { uploads, locked } => match attach(&link, &store, &uploads, locked).await {
            Ok(outcomes) => Response::Attached(outcomes),
            Err(error) => {
                tracing::info!("error.chain" = error.chain(), "uploads were not attached");
                Response::Failed(Failure::from(&error))
            }
        },
        Request::SessionStatus { session } => match link.hosted(&ConnectionId::of_session(session)) {
            Some(_) => Response::SessionStatus(status(&store, session).await),
            None => Response::NotHosted,
        },
        Request::StartRun { run } => {
            runs.start(run);
            Response::Done
        }
        Request::StopRun { run } => {
            runs.cancel(run).await;
            Response::Done
        }
        Request::StopExecution { execution } => {
            executions.cancel(execution).await;
            Response::Done
        }
    }
}

/// The status of a session that is live: that of its last run.
async fn status(store: &Store, session: SessionId) -> SessionStatus {
    match store.last_run_status(session).await {
        Ok(status) => status.map_or(SessionStatus::Idle, SessionStatus::from),
        Err(_) => SessionStatus::Unknown,
    }
}

/// Attaches the uploads whose sessions are hosted here, and defers the others.
async fn attach(
    link: &Link,
    store: &Store,
    uploads: &[SentUpload],
    locked: LockedRows,
) -> Result<Vec<AttachOutcome>, Error> {
    let hosts = uploads.iter().map(|sent| link.hosted(&sent.connection).map(|hosted| hosted.session));
    let sessions: Vec<Option<SessionId>> = hosts.collect();
    let hosted = uploads.iter().zip(&sessions).filter(|(_, session)| session.is_some());
    let hosted: Result<Vec<FinishedUpload>, _> =
        hosted.map(|(sent, _)| serde_json::from_str(&sent.upload)).collect();
    let hosted = hosted.map_err(Error::internal)?;
    if hosted.is_empty() {
        return Ok(vec![AttachOutcome::Deferred; uploads.len()]);
    }
    let (hosted, now) = (hosted.iter().collect::<Vec<_>>(), Timestamp::now());
    let mut outcomes = match locked {
        LockedRows::Wait => {
            store.attach(&hosted, now).await?.into_iter().map(AttachOutcome::Attached).collect()
        }
        LockedRows::Defer => store.attach_without_waiting(&hosted, now).await?,
    }
    .into_iter();
    let outcome = |session: Option<SessionId>| match session.and_then(|id| Some((id, outcomes.next()?))) {
        Some((session, AttachOutcome::Attached(attached))) => {
            link.announce_events(session);
            AttachOutcome::Attached(attached)
        }
        _ => AttachOutcome::Deferred,
    };
    Ok(sessions.into_iter().map(outcome).collect())
}
