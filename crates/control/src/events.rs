//! Following the events of sessions. All who follow a session in this process share one reader of its events, which
//! reads when word of new ones comes; and for all sessions together one query a second sees what no word came of.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use domain::event::{EventType, SessionEvent};
use domain::id::SessionId;
use domain::{Error, Result};
use link::Link;
use serde_json::json;
use store::Store;
use store::session_events::Followed;
use tokio::sync::{broadcast, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

/// How often the database is asked for new events that no word came of.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a reader waits after the database could not say.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Events read at once.
const PAGE_ROWS: u32 = 100;
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
    pub bytes: Bytes,
}

/// The readers of this process, one for each session that somebody follows. Cheap to clone.
#[derive(Clone)]
pub struct Events {
    store: Store,
    readers: Arc<Mutex<HashMap<SessionId, Reader>>>,
    stopping: watch::Receiver<bool>,
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
    /// Follows nothing yet. Ends with `stopping`, and with the process.
    pub fn start(store: Store, link: &Link, stopping: watch::Receiver<bool>) -> Self {
        let events = Self { store, readers: Arc::default(), stopping };
        let told = events.clone();
        link.on_events(move |session| told.wake(session, i64::MAX));
        tokio::spawn(events.clone().look());
        events
    }

    /// Whether this process is stopping.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.clone()
    }

    /// Follows a session from after the event numbered `from` at the latest, which was its last when `of` was proven.
    pub fn follow(&self, of: Followed, from: i64) -> Following {
        let session = of.session();
        let mut readers = lock(&self.readers);
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
        if let Some(reader) = lock(&self.readers).get(&session)
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
            let followed: Vec<SessionId> = lock(&self.readers).keys().copied().collect();
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
        let mut readers = lock(&self.events.readers);
        drop(self.live.take());
        if readers.get(&self.session).is_some_and(|reader| reader.sent.receiver_count() == 0) {
            // Its task ends with it.
            readers.remove(&self.session);
        }
    }
}

impl Sent {
    /// The event in the format of an event stream.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where it can't be written as JSON.
    pub fn of(event: &SessionEvent) -> Result<Self> {
        let SessionEvent { sequence, kind, occurred_at, data } = event;
        let id = sequence.to_string();
        let body =
            json!({ "id": id, "type": kind, "sequence": sequence, "occurredAt": occurred_at, "data": data });
        let name = serde_json::to_value(kind).map_err(Error::internal)?;
        let name = name.as_str().unwrap_or_default();
        let bytes = Bytes::from(format!("id: {id}\nevent: {name}\ndata: {body}\n\n"));
        Ok(Self { sequence: *sequence, is_last: *kind == EventType::SessionClosed, bytes })
    }
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
        Ok(page) => {
            let is_full = is_full(&page);
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

/// The events after the one numbered `after`, as they are sent; a page of them.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn page_after(store: &Store, of: Followed, after: i64) -> Result<Vec<Sent>> {
    store.events_after(of, after, PAGE_ROWS).await?.iter().map(Sent::of).collect()
}

/// Whether more may follow this page at once.
pub fn is_full(page: &[Sent]) -> bool {
    page.len() >= usize::try_from(PAGE_ROWS).unwrap_or(usize::MAX)
}

/// The lock, whether or not a holder panicked: no critical section here leaves the map half changed.
fn lock(readers: &Mutex<HashMap<SessionId, Reader>>) -> MutexGuard<'_, HashMap<SessionId, Reader>> {
    readers.lock().unwrap_or_else(PoisonError::into_inner)
}
