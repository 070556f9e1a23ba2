//! Answers requests from other processes: to the host of a session, and to the process of a job.

use domain::Error;
use domain::error::Failure;
use domain::id::SessionId;
use domain::session::{ConnectionId, SessionStatus};
use domain::upload::{AttachOutcome, LockedRows};
use link::{ProcessRequest, ProcessResponse, SentUpload};
use store::Store;
use store::uploads::FinishedUpload;
use tokio_util::task::LocalPoolHandle;

use crate::app::App;

/// Threads that answer requests. Each works on many at a time.
const THREADS: usize = 2;

/// Answers the requests that other processes send to this one.
pub fn serve(app: App) {
    // A connection to the database stays on the thread that opened it, as in the server's workers.
    let threads = LocalPoolHandle::new(THREADS);
    let link = app.link.clone();
    link.serve(move |request| {
        let app = app.clone();
        let answered = threads.spawn_pinned(move || async move { answer(&app, request).await });
        async move {
            answered
                .await
                .unwrap_or_else(|panic| ProcessResponse::Failed(Failure::from(Error::internal(panic))))
        }
    });
}

async fn answer(app: &App, request: ProcessRequest) -> ProcessResponse {
    let App { store, link, .. } = app;
    match request {
        ProcessRequest::Attach { uploads, locked } => match attach(app, &uploads, locked).await {
            Ok(outcomes) => ProcessResponse::Attached(outcomes),
            Err(error) => {
                tracing::info!("error.chain" = error.chain(), "uploads were not attached");
                ProcessResponse::Failed(Failure::from(error))
            }
        },
        ProcessRequest::SessionStatus { session } => match link.hosted(&ConnectionId::of_session(session)) {
            Some(_) => ProcessResponse::SessionStatus(status(store, session).await),
            None => ProcessResponse::NotHosted,
        },
        ProcessRequest::StartJob { job } => {
            app.jobs.start(job);
            ProcessResponse::Done
        }
        ProcessRequest::StopJob { job } => {
            app.jobs.stop_here(job).await;
            ProcessResponse::Done
        }
    }
}

/// The status of a live session: that of its last run.
async fn status(store: &Store, session: SessionId) -> SessionStatus {
    match store.last_run_status(session).await {
        Ok(status) => status.map_or(SessionStatus::Idle, SessionStatus::from),
        Err(_) => SessionStatus::Unknown,
    }
}

/// Attaches the uploads whose sessions are hosted here, and defers the others.
async fn attach(
    App { store, link, clock, .. }: &App,
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
    let (hosted, now) = (hosted.iter().collect::<Vec<_>>(), clock.now());
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
