//! The queue of finished uploads, which attaches them in batches.
//!
//! 1. A small upload is sent to the host of its session together with all others that wait for that host, whichever
//!    sessions they belong to. The host attaches them in one transaction that waits for no lock, and defers the rest.
//! 2. An upload that was deferred, is larger, or has no known host joins the others of its session. Their host attaches
//!    them in one transaction, which waits for its locks.
//! 3. Without a host, or without a clear answer from it, this process attaches them in the same way.
//!
//! An upload's id makes it happen once, however many processes try. `docs/design/batching.md` has the reasons.

use std::sync::Arc;
use std::time::Duration;

use batching::Batcher;
use domain::id::{ProcessId, SessionId};
use domain::time::Clock;
use domain::upload::{AttachOutcome, Attached, LockedRows};
use domain::{Error, Result};
use link::{Link, ProcessRequest, ProcessResponse};
use store::Store;
use store::uploads::FinishedUpload;

use super::hosts::KnownHosts;
use super::pending::{self, PendingUpload};

/// Longest wait for a host: for its answer, and for the message before.
const HOST_TIMEOUT: Duration = Duration::from_secs(2);

/// Longest wait for the batch before of the same session: twice the default time of a statement.
const SESSION_PATIENCE: Duration = Duration::from_secs(60);

/// Uploads that wait for their host or their session. One batch of each at a time: messages to one host share its work,
/// and changes of one session would wait for each other on their branch.
#[derive(Clone)]
pub struct AttachQueue {
    store: Store,
    link: Link,
    clock: Clock,
    by_host: Arc<Batcher<ProcessId, PendingUpload, AttachOutcome>>,
    by_session: Arc<Batcher<SessionId, PendingUpload, Attached>>,
    hosts: Arc<KnownHosts>,
}

impl AttachQueue {
    /// An empty queue.
    pub fn new(store: Store, link: Link, clock: Clock) -> Self {
        Self {
            store,
            link,
            clock,
            by_host: Arc::new(Batcher::new(1, HOST_TIMEOUT, PendingUpload::may_share_message)),
            by_session: Arc::new(Batcher::new(1, SESSION_PATIENCE, PendingUpload::may_share_transaction)),
            hosts: Arc::default(),
        }
    }

    /// Attaches an upload of `session`.
    ///
    /// # Errors
    /// Those of [`store::Store::attach`].
    pub(super) async fn attach(&self, session: SessionId, upload: &Arc<PendingUpload>) -> Result<Attached> {
        if let Some(host) = upload.small_upload_connection().and_then(|connection| self.hosts.get(connection))
        {
            let ask = async |uploads: &[&PendingUpload]| self.ask_known_host(host, uploads).await;
            let outcome = self.by_host.submit(host, Arc::clone(upload), ask).await;
            // A failure is met again below, and reported from there.
            if let Ok(AttachOutcome::Attached(attached)) = outcome {
                return Ok(attached);
            }
        }
        let attach = async |uploads: &[&PendingUpload]| self.attach_session(session, uploads).await;
        self.by_session.submit(session, Arc::clone(upload), attach).await
    }

    /// Sends uploads of several sessions to their host.
    async fn ask_known_host(
        &self,
        host: ProcessId,
        uploads: &[&PendingUpload],
    ) -> Result<Vec<AttachOutcome>> {
        let deferred = vec![AttachOutcome::Deferred; uploads.len()];
        let is_known = |upload: &&PendingUpload| {
            upload.connection_to_ask().is_some_and(|connection| self.hosts.get(connection) == Some(host))
        };
        // The batch before may have made this process forget the host.
        let (true, Some(sent)) = (uploads.iter().any(is_known), pending::message(uploads)) else {
            return Ok(deferred);
        };
        let request = ProcessRequest::Attach { uploads: sent, locked: LockedRows::Defer };
        let ask = async { outcomes(self.link.ask(host, request, HOST_TIMEOUT).await) };
        Ok(pending::asking(uploads, ask).await?.unwrap_or_else(|| {
            self.hosts.forget_host(host);
            deferred
        }))
    }

    /// Attaches uploads of one session, all of them or none.
    async fn attach_session(&self, session: SessionId, uploads: &[&PendingUpload]) -> Result<Vec<Attached>> {
        if let Some(attached) = self.ask_session_host(uploads).await? {
            return Ok(attached);
        }
        let uploads: Vec<&FinishedUpload> = uploads.iter().map(|pending| &pending.upload).collect();
        let attached = self.store.attach(&uploads, self.clock.now()).await?;
        self.link.announce_events(session);
        Ok(attached)
    }

    /// Has the session's host attach uploads; `None` if they are too large for it, it doesn't exist, or its answer isn't
    /// clear.
    async fn ask_session_host(&self, uploads: &[&PendingUpload]) -> Result<Option<Vec<Attached>>> {
        let connection = uploads.first().and_then(|upload| upload.connection_to_ask());
        let sent = pending::message(uploads).filter(|_| pending::fit_host(uploads));
        let (Some(connection), Some(sent)) = (connection, sent) else { return Ok(None) };
        let request = ProcessRequest::Attach { uploads: sent, locked: LockedRows::Wait };
        let ask = async {
            match self.link.ask_host(connection, request, HOST_TIMEOUT).await {
                Ok(Some(reply)) => {
                    self.hosts.remember(connection, reply.host);
                    outcomes(Ok(reply.response))
                }
                Ok(None) => {
                    self.hosts.forget(connection);
                    Ok(Some(Vec::new()))
                }
                Err(error) => outcomes(Err(error)),
            }
        };
        let outcomes = pending::asking(uploads, ask).await?.unwrap_or_default();
        let attached: Vec<Attached> = outcomes.into_iter().filter_map(AttachOutcome::attached).collect();
        Ok((attached.len() == uploads.len()).then_some(attached))
    }
}

/// Outcomes in the answer of a host; `None` if it doesn't tell what became of the uploads.
///
/// # Errors
/// The host's refusal.
fn outcomes(answer: Result<Option<ProcessResponse>>) -> Result<Option<Vec<AttachOutcome>>> {
    let cause = match answer {
        Ok(Some(ProcessResponse::Attached(outcomes))) => return Ok(Some(outcomes)),
        Ok(Some(ProcessResponse::Failed(failure))) => {
            let error = Error::from(failure);
            if !error.is_server_fault() {
                return Err(error);
            }
            error
        }
        Ok(_) => Error::unavailable("no answer in time"),
        Err(error) => error,
    };
    tracing::warn!(
        "error.chain" = cause.chain(),
        "a host did not confirm uploads, which are attached without it"
    );
    Ok(None)
}

#[cfg(test)]
mod tests {
    use domain::Code;
    use domain::error::Failure;

    use super::*;

    #[test]
    fn a_refusal_of_a_host_counts_and_a_failure_of_its_service_leaves_doubt() {
        let failed = |error: Error| outcomes(Ok(Some(ProcessResponse::Failed(Failure::from(error)))));
        assert_eq!(failed(Error::not_found()).unwrap_err().code, Code::NotFound);
        for error in [Error::unavailable("database"), Error::internal("bug")] {
            assert_eq!(failed(error).unwrap(), None);
        }
        for silence in [Ok(None), Err(Error::unavailable("redis")), Ok(Some(ProcessResponse::Done))] {
            assert_eq!(outcomes(silence).unwrap(), None);
        }
        let deferred = vec![AttachOutcome::Deferred];
        assert_eq!(outcomes(Ok(Some(ProcessResponse::Attached(deferred.clone())))).unwrap(), Some(deferred));
    }
}
