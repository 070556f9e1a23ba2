//! Streams of session events. All streams of a session in this process share one reader, which an announcement wakes. One
//! query a second, for all sessions together, finds events whose announcement was lost.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use domain::event::{EventType, SessionEvent};
use domain::id::SessionId;
use domain::work::conversation::Message;
use domain::{Error, Result};
use parking_lot::Mutex;
use serde_json::json;
use store::Store;
use store::work::session_events::{EventPage, SessionEvents};
use tokio::sync::{broadcast, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::sessions::conversation_reader::ConversationReader;

/// Time between two queries for events whose announcement was lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Pause of a reader after the database failed.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Most events that a stream may fall behind before it reads from the database; more than a page.
const BEHIND_MAX: usize = 128;

/// An event, as a stream sends it.
#[derive(Clone, Debug)]
pub struct StreamedEvent {
    /// Its position in the session.
    pub sequence: i64,
    /// True for the close of the session.
    pub is_last: bool,
    /// Its text in `text/event-stream`.
    bytes: Bytes,
    /// The message in the event, which some readers see in part.
    message: Option<Arc<MessageEvent>>,
}

/// An event that contains a message.
#[derive(Debug)]
struct MessageEvent {
    event: SessionEvent,
    message: Message,
}

/// The event streams of this process. Cheap to clone.
#[derive(Clone)]
pub struct EventStreams {
    store: Store,
    /// One for each session that has a stream.
    readers: Arc<Mutex<HashMap<SessionId, SessionReader>>>,
}

/// The new events of one session.
pub struct Subscription {
    session: SessionId,
    live: Option<broadcast::Receiver<StreamedEvent>>,
    streams: EventStreams,
}

/// The task that reads a session's events for all of its streams.
struct SessionReader {
    /// Wakes the reader; dropping it stops the reader.
    wake: watch::Sender<()>,
    /// The sequence of the last event that was read.
    position: Arc<AtomicI64>,
    sent: broadcast::Sender<StreamedEvent>,
}

impl EventStreams {
    /// Polls until the process ends.
    pub fn start(store: Store) -> Self {
        let streams = Self { store, readers: Arc::default() };
        tokio::spawn(streams.clone().poll());
        streams
    }

    /// Wakes the session's reader, if there is one, because there may be new events.
    pub fn wake(&self, session: SessionId) {
        self.wake_until(session, i64::MAX);
    }

    /// Subscribes to the events of a session after `from`, which was its last event when `of` was proven.
    pub fn subscribe(&self, of: SessionEvents, from: i64) -> Subscription {
        let session = of.session();
        let mut readers = self.readers.lock();
        let reader = readers.entry(session).or_insert_with(|| {
            let (wake, sent) = (watch::Sender::new(()), broadcast::Sender::new(BEHIND_MAX));
            let position = Arc::new(AtomicI64::new(from));
            let mut woken = wake.subscribe();
            // Events may have followed `from` since.
            woken.mark_changed();
            tokio::spawn(read(self.store.clone(), of, Arc::clone(&position), woken, sent.clone()));
            SessionReader { wake, position, sent }
        });
        Subscription { session, live: Some(reader.sent.subscribe()), streams: self.clone() }
    }

    /// Wakes the session's reader, if there is one that has not read `last` yet.
    fn wake_until(&self, session: SessionId, last: i64) {
        if let Some(reader) = self.readers.lock().get(&session)
            && reader.position.load(Ordering::Relaxed) < last
        {
            reader.wake.send_replace(());
        }
    }

    async fn poll(self) {
        let mut ticks = interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let streamed: Vec<SessionId> = self.readers.lock().keys().copied().collect();
            if streamed.is_empty() {
                continue;
            }
            match self.store.last_events(&streamed).await {
                Ok(found) => found.into_iter().for_each(|(session, last)| self.wake_until(session, last)),
                Err(error) => {
                    tracing::debug!("error.chain" = error.chain(), "new events not polled");
                }
            }
        }
    }
}

impl Subscription {
    /// The next event; `None` if the stream fell behind and has to read from the database.
    pub async fn next(&mut self) -> Option<StreamedEvent> {
        match &mut self.live {
            Some(live) => live.recv().await.ok(),
            None => None,
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut readers = self.streams.readers.lock();
        drop(self.live.take());
        if readers.get(&self.session).is_some_and(|reader| reader.sent.receiver_count() == 0) {
            // Ends the task.
            readers.remove(&self.session);
        }
    }
}

impl StreamedEvent {
    /// Encodes an event for streams.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if a message event holds no message.
    pub fn of(event: SessionEvent) -> Result<Self> {
        let bytes = encode(&event)?;
        let (sequence, is_last) = (event.sequence, event.kind == EventType::SessionClosed);
        let message = match event.kind {
            EventType::MessageCreated => {
                let message = serde_json::from_value(event.data.clone()).map_err(Error::internal)?;
                Some(Arc::new(MessageEvent { event, message }))
            }
            _ => None,
        };
        Ok(Self { sequence, is_last, bytes, message })
    }

    /// Its text in a stream, for one reader.
    ///
    /// # Errors
    /// As for [`StreamedEvent::of`].
    pub fn bytes_for(&self, reader: &ConversationReader) -> Result<Bytes> {
        match &self.message {
            Some(full) if !reader.reads_all_of(&full.message) => {
                let message = reader.read(full.message.clone());
                let data = serde_json::to_value(message).map_err(Error::internal)?;
                encode(&SessionEvent { data, ..full.event.clone() })
            }
            _ => Ok(self.bytes.clone()),
        }
    }
}

/// Encodes an event as `text/event-stream`.
///
/// # Errors
/// `INTERNAL_ERROR` if it can't be written as JSON.
pub fn encode(event: &SessionEvent) -> Result<Bytes> {
    let SessionEvent { sequence, kind, occurred_at, data } = event;
    let id = sequence.to_string();
    let body =
        json!({ "id": id, "type": kind, "sequence": sequence, "occurredAt": occurred_at, "data": data });
    let name = serde_json::to_value(kind).map_err(Error::internal)?;
    let name = name.as_str().unwrap_or_default();
    Ok(Bytes::from(format!("id: {id}\nevent: {name}\ndata: {body}\n\n")))
}

/// Reads a session's events and broadcasts them, until the last stream has ended.
async fn read(
    store: Store,
    of: SessionEvents,
    position: Arc<AtomicI64>,
    mut woken: watch::Receiver<()>,
    sent: broadcast::Sender<StreamedEvent>,
) {
    while woken.changed().await.is_ok() {
        // More events may follow a full page.
        while read_page(&store, of, &position, &sent).await {}
    }
}

/// Reads and broadcasts a page; returns true if more events may follow.
async fn read_page(
    store: &Store,
    of: SessionEvents,
    position: &AtomicI64,
    sent: &broadcast::Sender<StreamedEvent>,
) -> bool {
    match page_after(store, of, position.load(Ordering::Relaxed)).await {
        Ok((page, is_full)) => {
            for event in page {
                position.store(event.sequence, Ordering::Relaxed);
                // Fails when the last stream has ended.
                let _streams = sent.send(event);
            }
            is_full
        }
        Err(error) => {
            tracing::debug!(session.id = %of.session(), %error, "events not read");
            sleep(RETRY_PAUSE).await;
            sent.receiver_count() > 0
        }
    }
}

/// A page of the events after `after`; true if more follow.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn page_after(store: &Store, of: SessionEvents, after: i64) -> Result<(Vec<StreamedEvent>, bool)> {
    let EventPage { events, is_full } = store.events_after(of, after).await?;
    let sent: Result<Vec<StreamedEvent>> = events.into_iter().map(StreamedEvent::of).collect();
    Ok((sent?, is_full))
}
