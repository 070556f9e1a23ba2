//! New change events of the teams and projects that streams of this process follow. One task reads them for all, up to the
//! horizon (docs/design/events.md). An announcement wakes it; without one it reads every second.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::event::change::StoredChangeEvent;
use domain::{Error, Result};
use parking_lot::Mutex;
use serde_json::{Value, json};
use store::Store;
use store::change_events::{ChangeSlice, FollowedScope};
use tokio::sync::{broadcast, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};
use uuid::Uuid;

/// Time between two reads without an announcement.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Least time between two reads, so that the work doesn't grow with the number of writers.
const READ_PAUSE: Duration = Duration::from_millis(20);
/// Most events that a stream may fall behind before it reads from the database.
const BEHIND_MAX: usize = 256;

/// A change event, as a stream sends it.
#[derive(Clone, Debug)]
pub struct SentChange {
    /// The event.
    pub event: StoredChangeEvent,
    /// Its text in `text/event-stream`.
    pub bytes: Bytes,
}

/// The change events of this process. Cheap to clone.
#[derive(Clone)]
pub struct ChangeFeed {
    store: Store,
    state: Arc<Mutex<FeedState>>,
    wake: watch::Sender<()>,
}

/// Progress of the feed, and its followers.
#[derive(Default)]
struct FeedState {
    followed: HashMap<Uuid, Followed>,
    /// Events up to this number are sent, or being read, for those who followed then. It was a horizon.
    taken: i64,
    /// Events up to this number are sent.
    delivered: i64,
}

/// A team or project with streams.
struct Followed {
    scope: FollowedScope,
    sent: broadcast::Sender<Arc<SentChange>>,
}

/// The new events of one team or project.
pub struct Following {
    /// Events after this number are sent; those up to it are in the database. It was a horizon.
    pub from: i64,
    live: Option<broadcast::Receiver<Arc<SentChange>>>,
    scope: FollowedScope,
    feed: ChangeFeed,
}

impl ChangeFeed {
    /// Reads until the process ends.
    pub fn start(store: Store) -> Self {
        let feed = Self { store, state: Arc::default(), wake: watch::Sender::new(()) };
        tokio::spawn(feed.clone().run());
        feed
    }

    /// Reads soon, because there may be new events.
    pub fn wake(&self) {
        self.wake.send_replace(());
    }

    /// Follows a team or project. `horizon` is one that was read before.
    pub fn follow(&self, scope: FollowedScope, horizon: i64) -> Following {
        let mut state = self.state.lock();
        if state.followed.is_empty() {
            // Nobody was there for the events before.
            state.taken = state.taken.max(horizon);
            state.delivered = state.taken;
        }
        let from = state.taken;
        let followed = state
            .followed
            .entry(scope.scope().id())
            .or_insert_with(|| Followed { scope, sent: broadcast::Sender::new(BEHIND_MAX) });
        let live = Some(followed.sent.subscribe());
        Following { from, live, scope, feed: self.clone() }
    }

    async fn run(self) {
        let mut woken = self.wake.subscribe();
        let mut ticks = interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                // The sender lives as long as this task.
                _ = woken.changed() => {}
            }
            if let Err(error) = self.read_new().await {
                tracing::debug!("error.chain" = error.chain(), "change events not read; retried");
            }
            sleep(READ_PAUSE).await;
        }
    }

    /// Reads and sends the events up to the present horizon.
    async fn read_new(&self) -> Result<()> {
        if self.state.lock().followed.is_empty() {
            return Ok(());
        }
        let horizon = self.store.change_range().await?.horizon;
        let (scopes, mut slice) = {
            let mut state = self.state.lock();
            state.taken = state.taken.max(horizon);
            let scopes: Vec<FollowedScope> = state.followed.values().map(|followed| followed.scope).collect();
            (scopes, ChangeSlice { after: state.delivered, until: state.taken })
        };
        while slice.after < slice.until && !scopes.is_empty() {
            let page = self.store.change_events(&scopes, slice).await?;
            let last = page.events.last().map(|(_, event)| event.sequence);
            slice.after = last.filter(|_| page.is_full).unwrap_or(slice.until);
            let encoded: Result<Vec<(Uuid, SentChange)>> =
                page.events.into_iter().map(|(scope, event)| Ok((scope, SentChange::of(event)?))).collect();
            self.send(encoded?, slice.after);
        }
        Ok(())
    }

    /// Sends events to their followers. All up to `delivered` are sent then.
    fn send(&self, events: Vec<(Uuid, SentChange)>, delivered: i64) {
        let mut state = self.state.lock();
        for (scope, event) in events {
            if let Some(followed) = state.followed.get(&scope) {
                // Fails when the last stream has ended.
                let _streams = followed.sent.send(Arc::new(event));
            }
        }
        state.delivered = state.delivered.max(delivered);
    }
}

impl Following {
    /// The next event; `None` if the stream fell behind and has to read from the database.
    pub async fn next(&mut self) -> Option<Arc<SentChange>> {
        match &mut self.live {
            Some(live) => live.recv().await.ok(),
            None => None,
        }
    }

    /// The number up to which the stream has got all events, if none waits for it.
    pub fn position(&self) -> Option<i64> {
        // In this order: what is sent after the first step waits in the second.
        let delivered = self.feed.state.lock().delivered;
        self.live.as_ref().is_some_and(broadcast::Receiver::is_empty).then_some(delivered)
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let mut state = self.feed.state.lock();
        drop(self.live.take());
        let scope = self.scope.scope().id();
        if state.followed.get(&scope).is_some_and(|followed| followed.sent.receiver_count() == 0) {
            state.followed.remove(&scope);
        }
    }
}

impl SentChange {
    /// Encodes an event for streams.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it can't be written as JSON.
    pub fn of(event: StoredChangeEvent) -> Result<Self> {
        let id = event.sequence.to_string();
        let body = json!({
            "id": id,
            "type": event.kind,
            "sequence": event.sequence,
            "occurredAt": event.occurred_at,
            "actor": event.actor.map_or(Ok(Value::Null), serde_json::to_value).map_err(Error::internal)?,
            "data": event.data,
        });
        let bytes = Bytes::from(format!("id: {id}\nevent: {}\ndata: {body}\n\n", event.kind));
        Ok(Self { event, bytes })
    }
}
