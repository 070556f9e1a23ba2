//! What this process does for others as the host of sessions.

use domain::Error;
use domain::id::SessionId;
use domain::session::{ConnectionId, SessionStatus};
use domain::time::Timestamp;
use link::{Change, Failure, Link, Request, Response};
use store::Store;
use store::uploads::FinishedUpload;
use tokio_util::task::LocalPoolHandle;

use crate::attaching::Attaching;
use crate::executions::Executions;
use crate::runs::Runs;

/// Threads that answer other processes; each has many requests under way.
const THREADS: usize = 2;

/// Answers the requests that other processes send to the sessions hosted here.
pub fn serve(link: &Link, store: Store, runs: Runs, executions: Executions) {
    let hosted = link.clone();
    let attaching = Attaching::default();
    // The store's work stays on the thread where it began, as it does in the server's workers.
    let threads = LocalPoolHandle::new(THREADS);
    link.serve(move |request| {
        let (link, store) = (hosted.clone(), store.clone());
        let (attaching, runs, executions) = (attaching.clone(), runs.clone(), executions.clone());
        let answered =
            threads.spawn_pinned(move || answer(link, store, attaching, runs, executions, request));
        async move {
            answered.await.unwrap_or_else(|panic| Response::Failed(Failure::from(&Error::internal(panic))))
        }
    });
}

async fn answer(
    link: Link,
    store: Store,
    attaching: Attaching,
    runs: Runs,
    executions: Executions,
    request: Request,
) -> Response {
    match request {
        Request::Attach { connection, change } => match link.hosted(&connection) {
            Some(hosted) => match attach(&store, &change).await {
                Ok(attached) => {
                    link.announce_events(hosted.session);
                    Response::Attached(attached)
                }
                Err(error) => {
                    tracing::info!(%connection, "error.chain" = error.chain(), "uploads were not attached");
                    Response::Failed(Failure::from(&error))
                }
            },
            None => Response::NotHosted,
        },
        Request::AttachAtOnce { changes } => {
            match attach_at_once(&link, &store, &attaching, &changes).await {
                Ok(attached) => Response::AttachedAtOnce(attached),
                Err(error) => {
                    tracing::info!("error.chain" = error.chain(), "uploads were not attached");
                    Response::Failed(Failure::from(&error))
                }
            }
        }
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

async fn attach(store: &Store, change: &str) -> Result<String, Error> {
    let uploads: Vec<FinishedUpload> = serde_json::from_str(change).map_err(Error::internal)?;
    let attached = store.attach(&uploads.iter().collect::<Vec<_>>(), Timestamp::now()).await?;
    serde_json::to_string(&attached).map_err(Error::internal)
}

/// Attaches what needs no waiting, of the sessions that are hosted here.
async fn attach_at_once(
    link: &Link,
    store: &Store,
    attaching: &Attaching,
    changes: &[Change],
) -> Result<Vec<Option<String>>, Error> {
    let mut hosted = Vec::with_capacity(changes.len());
    let mut uploads: Vec<Vec<FinishedUpload>> = Vec::with_capacity(changes.len());
    for Change { connection, change } in changes {
        let here = link.hosted(connection);
        if here.is_some() {
            uploads.push(serde_json::from_str(change).map_err(Error::internal)?);
        }
        hosted.push(here);
    }
    let mut attached = attaching.attach(store, uploads).await?.into_iter();
    let answers = hosted.into_iter().map(|hosted| {
        let Some(hosted) = hosted else { return Ok(None) };
        let Some(attached) = attached.next().flatten() else { return Ok(None) };
        link.announce_events(hosted.session);
        serde_json::to_string(&attached).map(Some).map_err(Error::internal)
    });
    answers.collect()
}
