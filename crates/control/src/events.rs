//! Following the events of sessions. All who follow a session in this process share one reader of its events, which
//! reads when word of new ones comes; and for all sessions together one query a second sees what no word came of.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use domain::conversation::Message;
use domain::event::{EventType, SessionEvent};
use domain::id::{SessionId, UserId};
use domain::{Code, Error, Result};
use link::Link;
use parking_lot::Mutex;
use serde_json::json;
use store::Store;
use store::session_events::{EventPage, Followed};
use tokio::sync::{broadcast, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::reader;

/// How often the database is asked for new events that no word came of.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a reader waits after the database could not say.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Events that a follower may be behind before it reads them for itself; more than a page.
const BEHIND: usize = 128;

/// An event as it is sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Its sequence.
    pub sequence: i64,
    /// Whether no other follows, ever.
    pub is_last: bool,
    /// Its text in a stream.
    bytes: Bytes,
    /// The message that it brings, of which some readers get a part.
    message: Option<Arc<Told>>,
}

/// An event that brings a message.
#[derive(Debug)]
struct Told {
    event: SessionEvent,
    message: Message,
}

/// The streams that each user follows from this process.
type Streams = Arc<Mutex<HashMap<UserId, usize>>>;

/// The readers of this process, one for each session that somebody follows. Cheap to clone.
#[derive(Clone)]
pub struct Events {
    store: Store,
    readers: Arc<Mutex<HashMap<SessionId, Reader>>>,
    streams: Streams,
    streams_per_user: usize,
    stopping: watch::Receiver<bool>,
}

/// One of the streams that a user may follow, for as long as it is kept.
pub struct Place {
    user: UserId,
    streams: Streams,
}

/// New events of one session, from the moment at which this was made; it may lag behind.
pub struct Following {
    session: SessionId,
    live: Option<broadcast::Receiver<Sent>>,
    events: Events,
}

struct Reader {
    /// Word that there may be new events; dropped, it ends the reader.
    word: watch::Sender<()>,
    /// The sequence of the last event that was read.
    position: Arc<AtomicI64>,
    sent: broadcast::Sender<Sent>,
}

impl Events {
    /// Follows nothing yet; a user may follow so many streams at a time. Ends with `stopping`, and with the process.
    pub fn start(
        store: Store,
        link: &Link,
        stopping: watch::Receiver<bool>,
        streams_per_user: usize,
    ) -> Self {
        let (readers, streams) = (Arc::default(), Streams::default());
        let events = Self { store, readers, streams, streams_per_user, stopping };
        let told = events.clone();
        link.on_events(move |session| told.wake(session, i64::MAX));
        tokio::spawn(events.clone().look());
        events
    }

    /// Whether this process is stopping.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.clone()
    }

    /// A place for one more stream of a user.
    ///
    /// # Errors
    /// `RATE_LIMITED` where there is none left.
    pub fn place(&self, user: UserId) -> Result<Place> {
        let mut streams = self.streams.lock();
        let taken = streams.entry(user).or_default();
        if *taken >= self.streams_per_user {
            let message = "You follow as many streams of events as you may. Close one, or try again later.";
            let mut error =
                Error::new(Code::RateLimited, message).with_details(json!({ "scope": "streams" }));
            error.retry_after_secs = Some(1);
            return Err(error);
        }
        *taken += 1;
        Ok(Place { user, streams: Arc::clone(&self.streams) })
    }

    /// Follows a session from after the event numbered `from` at the latest, which was its last when `of` was proven.
    pub fn follow(&self, of: Followed, from: i64) -> Following {
        let session = of.session();
        let mut readers = self.readers.lock();
        let reader = readers.entry(session).or_insert_with(|| {
            let (word, sent) = (watch::Sender::new(()), broadcast::Sender::new(BEHIND));
            let position = Arc::new(AtomicI64::new(from));
            let mut heard = word.subscribe();
            // There may be new ones since `from` was.
            heard.mark_changed();
            tokio::spawn(read(self.store.clone(), of, Arc::clone(&position), heard, sent.clone()));
            Reader { word, position, sent }
        });
        Following { session, live: Some(reader.sent.subscribe()), events: self.clone() }
    }

    /// Has the session's reader read, where there is one that has not come as far as `last`.
    fn wake(&self, session: SessionId, last: i64) {
        if let Some(reader) = self.readers.lock().get(&session)
            && reader.position.load(Ordering::Relaxed) < last
        {
            reader.word.send_replace(());
        }
    }

    async fn look(self) {
        let mut ticks = interval(LOOK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let followed: Vec<SessionId> = self.readers.lock().keys().copied().collect();
            if followed.is_empty() {
                continue;
            }
            match self.store.last_events(&followed).await {
                Ok(found) => found.into_iter().for_each(|(session, last)| self.wake(session, last)),
                Err(error) => {
                    tracing::debug!("error.chain" = error.chain(), "new events can't be looked for");
                }
            }
        }
    }
}

impl Following {
    /// The next new event; `None` where some were missed, and are to be read from the database.
    pub async fn next(&mut self) -> Option<Sent> {
        match &mut self.live {
            Some(live) => live.recv().await.ok(),
            None => None,
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let mut readers = self.events.readers.lock();
        drop(self.live.take());
        if readers.get(&self.session).is_some_and(|reader| reader.sent.receiver_count() == 0) {
            // Its task ends with it.
            readers.remove(&self.session);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Entry::Occupied(mut taken) = self.streams.lock().entry(self.user) {
            *taken.get_mut() -= 1;
            if *taken.get() == 0 {
                taken.remove();
            }
        }
    }
}

impl Sent {
    /// The event in the format of an event stream.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where it can't be written as JSON, or brings what is no message.
    pub fn of(event: SessionEvent) -> Result<Self> {
        let bytes = written(&event)?;
        let (sequence, is_last) = (event.sequence, event.kind == EventType::SessionClosed);
        let message = match event.kind {
            EventType::MessageCreated => {
                let message = serde_json::from_value(event.data.clone()).map_err(Error::internal)?;
                Some(Arc::new(Told { event, message }))
            }
            _ => None,
        };
        Ok(Self { sequence, is_last, bytes, message })
    }

    /// Its text in a stream, as somebody may read it.
    ///
    /// # Errors
    /// As for [`Sent::of`].
    pub fn bytes_for(&self, reader: &reader::Reader) -> Result<Bytes> {
        match &self.message {
            Some(told) if !reader.reads_all_of(&told.message) => {
                let message = reader.read(told.message.clone());
                let data = serde_json::to_value(message).map_err(Error::internal)?;
                written(&SessionEvent { data, ..told.event.clone() })
            }
            _ => Ok(self.bytes.clone()),
        }
    }
}

/// An event in the format of an event stream.
///
/// # Errors
/// `INTERNAL_ERROR` where it can't be written as JSON.
pub fn written(event: &SessionEvent) -> Result<Bytes> {
    let SessionEvent { sequence, kind, occurred_at, data } = event;
    let id = sequence.to_string();
    let body =
        json!({ "id": id, "type": kind, "sequence": sequence, "occurredAt": occurred_at, "data": data });
    let name = serde_json::to_value(kind).map_err(Error::internal)?;
    let name = name.as_str().unwrap_or_default();
    Ok(Bytes::from(format!("id: {id}\nevent: {name}\ndata: {body}\n\n")))
}

/// Reads a session's events and hands them to all who follow it, until nobody does.
async fn read(
    store: Store,
    of: Followed,
    position: Arc<AtomicI64>,
    mut word: watch::Receiver<()>,
    sent: broadcast::Sender<Sent>,
) {
    while word.changed().await.is_ok() {
        // A full page may not be all.
        while read_page(&store, of, &position, &sent).await {}
    }
}

/// Reads and hands out a page; returns whether there may be more to read at once.
async fn read_page(
    store: &Store,
    of: Followed,
    position: &AtomicI64,
    sent: &broadcast::Sender<Sent>,
) -> bool {
    match page_after(store, of, position.load(Ordering::Relaxed)).await {
        Ok((page, is_full)) => {
            for event in page {
                position.store(event.sequence, Ordering::Relaxed);
                // An error says that nobody follows any more.
                let _followers = sent.send(event);
            }
            is_full
        }
        Err(error) => {
            tracing::debug!(session.id = %of.session(), %error, "events can't be read");
            sleep(RETRY_PAUSE).await;
            sent.receiver_count() > 0
        }
    }
}

/// The events after the one numbered `after`, as they are sent: a page of them, and whether more follow at once.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn page_after(store: &Store, of: Followed, after: i64) -> Result<(Vec<Sent>, bool)> {
    let EventPage { events, is_full } = store.events_after(of, after).await?;
    let sent: Result<Vec<Sent>> = events.into_iter().map(Sent::of).collect();
    Ok((sent?, is_full))
}
