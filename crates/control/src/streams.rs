//! Open event streams of this process: how many a user may have, and when each of them wakes, is checked, and ends.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use auth::actor::Actor;
use domain::id::{ApiKeyId, UserId};
use domain::time::{Clock, Timestamp};
use domain::{Code, Error, Result};
use parking_lot::Mutex;
use serde_json::json;
use store::Store;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, interval_at, sleep_until};
use uuid::Uuid;

/// Time between two queries for keys that have ended, and for changes of access. Streams end within a second.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How far back changes of access are read, in seconds: longer than the transactions that make them.
const CHANGES_SECS: u64 = 60;
/// Interval of keep-alive comments.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Maximum duration of a stream. Then the client reconnects, so a credential is trusted no longer.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// The number of open streams of each user in this process.
type StreamCounts = Arc<Mutex<HashMap<UserId, usize>>>;

/// Limits of the event streams of a process.
#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    /// Most streams of one user.
    pub per_user: usize,
    /// Time between two checks that a reader may still read.
    pub check_interval: Duration,
}

/// The event streams of this process. Cheap to clone.
#[derive(Clone)]
pub struct Streams {
    counts: StreamCounts,
    /// The keys of open streams; true once a key has ended.
    keys: Arc<Mutex<HashMap<ApiKeyId, watch::Sender<bool>>>>,
    /// The readers of open streams, and what they read; woken when access to it, or their own, has changed.
    subjects: Arc<Mutex<HashMap<Uuid, watch::Sender<()>>>>,
    limits: StreamLimits,
    stopping: watch::Receiver<bool>,
}

/// One open stream. Dropping it frees the place.
pub struct OpenStream {
    /// Released with the stream.
    _permit: StreamPermit,
    /// True once the client's key has ended.
    key_end: Option<watch::Receiver<bool>>,
    /// Changes of the reader's access.
    reader: watch::Receiver<()>,
    /// Changes of access to what is read.
    subject: watch::Receiver<()>,
    heartbeat: Interval,
    check: Interval,
    end: Instant,
    stopping: watch::Receiver<bool>,
}

/// The reasons for which a waiting stream wakes, beside events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamWake {
    /// A keep-alive comment is due.
    Heartbeat,
    /// The check that the client may still read is due.
    Check,
    /// The stream ends.
    End,
}

/// The permit of one open stream.
struct StreamPermit {
    user: UserId,
    counts: StreamCounts,
}

impl Streams {
    /// Watches the keys of streams until the process ends. `stopping` ends all streams.
    pub fn start(store: Store, clock: Clock, stopping: watch::Receiver<bool>, limits: StreamLimits) -> Self {
        let streams = Self {
            counts: StreamCounts::default(),
            keys: Arc::default(),
            subjects: Arc::default(),
            limits,
            stopping,
        };
        tokio::spawn(streams.clone().poll(store, clock));
        streams
    }

    /// Opens one more stream of a caller, of a project or a team. Opened before the caller's right is checked, it misses no
    /// change of it.
    ///
    /// # Errors
    /// `RATE_LIMITED` if the user has the most streams that are allowed.
    pub fn open(&self, actor: &Actor, subject: Uuid, now: Timestamp) -> Result<OpenStream> {
        let token_left = actor.browser_token().map(|token| token.expires_at.0 - now.0);
        let token_left = token_left.map(|left| left.try_into().unwrap_or(Duration::ZERO));
        Ok(OpenStream {
            _permit: self.permit(actor.user)?,
            // A stream by a browser token has none; its token is checked at intervals.
            key_end: actor.key().map(|key| self.end_of(key)),
            reader: self.changes_of(actor.user.0),
            subject: self.changes_of(subject),
            heartbeat: every(HEARTBEAT),
            check: every(self.limits.check_interval),
            end: Instant::now() + token_left.unwrap_or(LIFETIME).min(LIFETIME),
            stopping: self.stopping.clone(),
        })
    }

    fn permit(&self, user: UserId) -> Result<StreamPermit> {
        let mut counts = self.counts.lock();
        let open = counts.entry(user).or_default();
        if *open >= self.limits.per_user {
            let message = "You follow as many streams of events as you may. Close one, or try again later.";
            let mut error =
                Error::new(Code::RateLimited, message).with_details(json!({ "scope": "streams" }));
            error.retry_after_secs = Some(1);
            return Err(error);
        }
        *open += 1;
        Ok(StreamPermit { user, counts: Arc::clone(&self.counts) })
    }

    /// Becomes true once a key has ended, within a second.
    fn end_of(&self, key: ApiKeyId) -> watch::Receiver<bool> {
        self.keys.lock().entry(key).or_insert_with(|| watch::Sender::new(false)).subscribe()
    }

    /// Wakes when access changes: that of a user, or to a project or team.
    fn changes_of(&self, subject: Uuid) -> watch::Receiver<()> {
        self.subjects.lock().entry(subject).or_insert_with(|| watch::Sender::new(())).subscribe()
    }

    /// Ends the streams of keys that have ended, and has those checked whose readers may have lost access.
    async fn poll(self, store: Store, clock: Clock) {
        let mut ticks = interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut changes = AccessChanges { read_at: Instant::now(), known: HashSet::new() };
        loop {
            ticks.tick().await;
            self.wake_changed(&store, &mut changes).await;
            let keys: Vec<ApiKeyId> = {
                let mut keys = self.keys.lock();
                keys.retain(|_, ended| ended.receiver_count() > 0);
                keys.keys().copied().collect()
            };
            if keys.is_empty() {
                continue;
            }
            match store.find_ended_keys(&keys, clock.now()).await {
                Ok(ended) => {
                    let keys = self.keys.lock();
                    ended.iter().filter_map(|key| keys.get(key)).for_each(|key| {
                        key.send_replace(true);
                    });
                }
                Err(error) => {
                    tracing::debug!("error.chain" = error.chain(), "keys of event streams not polled");
                }
            }
        }
    }

    /// Wakes the streams that new changes of access concern.
    async fn wake_changed(&self, store: &Store, changes: &mut AccessChanges) {
        let is_idle = {
            let mut subjects = self.subjects.lock();
            subjects.retain(|_, changed| changed.receiver_count() > 0);
            subjects.is_empty()
        };
        if is_idle {
            // A stream that opens is checked after that.
            *changes = AccessChanges { read_at: Instant::now(), known: HashSet::new() };
            return;
        }
        let asked_at = Instant::now();
        let since = CHANGES_SECS.saturating_add(changes.read_at.elapsed().as_secs());
        match store.access_changes_of_last(since.try_into().unwrap_or(i64::MAX)).await {
            Ok(found) => {
                let subjects = self.subjects.lock();
                for (_, subject) in found.iter().filter(|(id, _)| !changes.known.contains(id)) {
                    if let Some(changed) = subjects.get(subject) {
                        changed.send_replace(());
                    }
                }
                let known = found.into_iter().map(|(id, _)| id).collect();
                *changes = AccessChanges { read_at: asked_at, known };
            }
            Err(error) => {
                tracing::debug!("error.chain" = error.chain(), "changes of access not polled");
            }
        }
    }
}

/// The changes of access that are known already.
struct AccessChanges {
    /// The time of the last query that was answered.
    read_at: Instant,
    /// The numbers of its changes.
    known: HashSet<i64>,
}

impl OpenStream {
    /// Waits until the stream has to wake. It may be dropped and called again.
    pub async fn wake(&mut self) -> StreamWake {
        tokio::select! {
            _ = self.heartbeat.tick() => StreamWake::Heartbeat,
            _ = self.check.tick() => StreamWake::Check,
            // The senders live as long as their receivers.
            _ = self.reader.changed() => StreamWake::Check,
            _ = self.subject.changed() => StreamWake::Check,
            () = is_true(self.key_end.as_mut()) => StreamWake::End,
            () = is_true(Some(&mut self.stopping)) => StreamWake::End,
            () = sleep_until(self.end) => StreamWake::End,
        }
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        if let Entry::Occupied(mut open) = self.counts.lock().entry(self.user) {
            *open.get_mut() -= 1;
            if *open.get() == 0 {
                open.remove();
            }
        }
    }
}

/// Waits until a flag is true; forever without one.
async fn is_true(flag: Option<&mut watch::Receiver<bool>>) {
    match flag {
        // The sender lives as long as the process.
        Some(flag) => drop(flag.wait_for(|is_set| *is_set).await),
        None => std::future::pending().await,
    }
}

fn every(period: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
