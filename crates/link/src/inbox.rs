//! Requests between processes. Each process has one inbox, a Redis stream; answers arrive in the asker's inbox.
//!
//! An entry is deleted after it was read, and reading always starts at the first entry. No position is stored, so a wiped
//! or restarted Redis can't make a reader wait for ids that never come.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::id::ProcessId;
use domain::{Error, Result};
use redis::streams::{StreamId, StreamMaxlen, StreamReadOptions, StreamReadReply};
use redis::{AsyncConnectionConfig, RedisResult};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::connection::CONNECT_TIMEOUT;
use crate::link::{Link, LinkState, millis};
use crate::message::{
    EntryBody, InboxEntry, ProcessRequest, ProcessResponse, Receiver, Unreadable, UnreadableBody,
};
use crate::seal::MessageKey;

/// Most requests that a process handles at a time; more are declined rather than queued.
pub(crate) const HANDLED_AT_ONCE: usize = 256;
/// Most entries of an inbox that nobody reads, about.
const INBOX_MAX_ENTRIES: usize = 10_000;
/// Lifetime of an inbox after its last message: longer than any wait for an answer.
const INBOX_LIFETIME: Duration = Duration::from_secs(60);
/// Most entries of one read.
const READ_MAX_ENTRIES: usize = 100;
/// Longest wait of a read for an entry.
const READ_WAIT: Duration = Duration::from_secs(5);
/// Extra time for Redis to answer, before the connection counts as dead.
const READ_GRACE: Duration = Duration::from_secs(1);
/// First and longest pause before the reader reconnects.
pub(crate) const RECONNECT_PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));
/// The only field of an entry.
const FIELD: &str = "message";

impl Link {
    /// Reads this process's inbox from now on: handles requests with `handler`, concurrently, and receives answers. A
    /// process that asks others has to do so, too. `handler` returns `false` to decline a request.
    pub fn serve<H, F>(&self, handler: H)
    where
        H: Fn(ProcessRequest) -> F + Send + Sync + 'static,
        F: Future<Output = bool> + Send + 'static,
    {
        let handler: Arc<RequestHandler> = Arc::new(move |request| Box::pin(handler(request)));
        let reading = self.shared.runtime.spawn(read(Arc::clone(&self.shared), handler));
        self.keep(reading.abort_handle());
    }

    /// Asks a process; false if it declines or doesn't answer within `wait`. It may act even then.
    ///
    /// # Errors
    /// `UNAVAILABLE`: Redis didn't confirm the request.
    pub async fn ask(&self, to: ProcessId, request: ProcessRequest, wait: Duration) -> Result<bool> {
        let mut pending = PendingRequest::new(&self.shared);
        self.shared.send(to, &pending.message(to, request)).await?;
        Ok(pending.answer(wait).await == Some(ProcessResponse::Done))
    }
}

/// Handles a request to this process.
type RequestHandler = dyn Fn(ProcessRequest) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync;

/// Reads this process's inbox until it is aborted, and reconnects when Redis fails.
async fn read(shared: Arc<LinkState>, handler: Arc<RequestHandler>) {
    // The sender is part of the shared state, so this ends with a key.
    let key = match shared.key.subscribe().wait_for(Option::is_some).await.map(|key| key.clone()) {
        Ok(Some(key)) => key,
        Ok(None) | Err(_) => return,
    };
    let mut handled = Vec::new();
    let (shortest, longest) = RECONNECT_PAUSE;
    let mut pause = shortest;
    loop {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(READ_WAIT + READ_GRACE));
        let broken = match shared.client.get_multiplexed_async_connection_with_config(&config).await {
            Ok(mut connection) => loop {
                match read_some(&shared, &key, &handler, &mut connection, &mut handled).await {
                    Ok(()) => pause = shortest,
                    Err(error) => break error,
                }
            },
            Err(error) => error,
        };
        tracing::debug!(cause = %broken, "inbox not readable; reconnecting");
        sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// Waits for entries and receives them. The same round trip deletes those of the last call, `handled`.
async fn read_some(
    shared: &Arc<LinkState>,
    key: &MessageKey,
    handler: &Arc<RequestHandler>,
    connection: &mut redis::aio::MultiplexedConnection,
    handled: &mut Vec<String>,
) -> RedisResult<()> {
    let inbox = shared.keys.inbox(shared.process);
    let wait = usize::try_from(millis(READ_WAIT)).unwrap_or(usize::MAX);
    let options = StreamReadOptions::default().block(wait).count(READ_MAX_ENTRIES);
    let mut pipeline = redis::pipe();
    if !handled.is_empty() {
        pipeline.xdel(&inbox, handled.as_slice()).ignore();
    }
    pipeline.xread_options(&[&inbox], &["0"], &options);
    let (reply,): (Option<StreamReadReply>,) = pipeline.query_async(connection).await?;
    handled.clear();
    for entry in reply.into_iter().flat_map(|reply| reply.keys).flat_map(|key| key.ids) {
        shared.receive(key, handler, &entry);
        handled.push(entry.id);
    }
    Ok(())
}

impl LinkState {
    /// Sends a message to a process's inbox.
    async fn send(&self, to: ProcessId, message: &InboxEntry) -> Result<()> {
        let inbox = self.keys.inbox(to);
        let text = message.text(&self.key().await?)?;
        let mut pipeline = redis::pipe();
        pipeline
            .xadd_maxlen(&inbox, StreamMaxlen::Approx(INBOX_MAX_ENTRIES), "*", &[(FIELD, text)])
            .ignore()
            .cmd("PEXPIRE")
            .arg(&inbox)
            .arg(millis(INBOX_LIFETIME))
            .ignore();
        self.commands.query(&pipeline).await
    }

    /// Receives an entry without waiting.
    fn receive(self: &Arc<Self>, key: &MessageKey, handler: &Arc<RequestHandler>, entry: &StreamId) {
        let sealed: String = entry.get(FIELD).unwrap_or_default();
        let Some(text) = key.open(&sealed) else {
            tracing::warn!("message without the deployment's seal ignored");
            return;
        };
        match serde_json::from_str(text) {
            Ok(InboxEntry { to, .. }) if to.process != self.process => {
                tracing::warn!("message to another process ignored");
            }
            Ok(InboxEntry { id, body: EntryBody::Answer { response }, .. }) => {
                // No sender: the asker gave up, or this is the answer's second copy.
                if let Some(sender) = self.pending.lock().remove(&id) {
                    let _gone = sender.send(response);
                }
            }
            Ok(InboxEntry { id, body: EntryBody::Request { from, request }, .. }) => {
                let (shared, handler) = (Arc::clone(self), Arc::clone(handler));
                tokio::spawn(async move {
                    let response = shared.handle(&*handler, request).await;
                    shared.answer(from, id, response).await;
                });
            }
            // From another version of the service. Decline a request, so that its sender doesn't wait.
            Err(error) => {
                tracing::warn!(cause = %error, "unreadable message; declined if it is a request");
                if let Ok(Unreadable { id, body: UnreadableBody::Request { from } }) =
                    serde_json::from_str(text)
                {
                    let shared = Arc::clone(self);
                    tokio::spawn(async move { shared.answer(from, id, None).await });
                }
            }
        }
    }

    /// Sends the answer to a request. If that fails, the asker's wait ends without one.
    async fn answer(&self, to: ProcessId, id: Uuid, response: Option<ProcessResponse>) {
        let answer = InboxEntry { id, to: Receiver { process: to }, body: EntryBody::Answer { response } };
        if let Err(error) = self.send(to, &answer).await {
            tracing::warn!(cause = source_of(&error), "answer to another process not sent");
        }
    }

    /// Handles a request; `None` if `handler` declines it, or with too many of them.
    async fn handle(&self, handler: &RequestHandler, request: ProcessRequest) -> Option<ProcessResponse> {
        let _permit = self.handling.try_acquire().ok()?;
        handler(request).await.then_some(ProcessResponse::Done)
    }
}

/// A request that waits for its answer. Dropping it ends the wait.
struct PendingRequest<'a> {
    shared: &'a LinkState,
    id: Uuid,
    receiver: oneshot::Receiver<Option<ProcessResponse>>,
}

impl<'a> PendingRequest<'a> {
    fn new(shared: &'a LinkState) -> Self {
        let id = Uuid::new_v4();
        let (sender, receiver) = oneshot::channel();
        shared.pending.lock().insert(id, sender);
        Self { shared, id, receiver }
    }

    /// The request's message.
    fn message(&self, to: ProcessId, request: ProcessRequest) -> InboxEntry {
        let body = EntryBody::Request { from: self.shared.process, request };
        InboxEntry { id: self.id, to: Receiver { process: to }, body }
    }

    /// The answer; `None` if the process declines or doesn't answer within `wait`.
    async fn answer(&mut self, wait: Duration) -> Option<ProcessResponse> {
        timeout(wait, &mut self.receiver).await.ok()?.ok()?
    }
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        self.shared.pending.lock().remove(&self.id);
    }
}

/// The cause of an error, for the log. The error's own message is for clients.
pub(crate) fn source_of(error: &Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
