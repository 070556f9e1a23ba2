//! A process's link to the others: its settings, its shared state, and its background tasks.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use domain::Result;
use domain::id::{ProcessId, SessionId};
use domain::work::session::ConnectionId;
use parking_lot::Mutex;
use redis::Client;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::AbortHandle;
use uuid::Uuid;

use crate::announcement::Announcement;
use crate::connection::Commands;
use crate::keys::Keys;
use crate::message::ProcessResponse;
use crate::rate::local::Local;
use crate::registration::HostedSession;
use crate::scripts::Scripts;
use crate::seal::MessageKey;

// Redis forks to save, fails over, and shares its machine: pauses of some hundred milliseconds are no outage.
const TIMEOUT: Duration = Duration::from_secs(1);
const HEARTBEAT: Duration = Duration::from_secs(5);
const LEASE: Duration = Duration::from_secs(15);
const MEMORY: Duration = Duration::from_secs(8 * 60 * 60);
/// Lifetime of the key that [`Link::check`] writes.
const CHECK_LIFETIME_MILLIS: u64 = 1_000;

/// Address of Redis, and intervals of the registry.
#[derive(Args, Clone)]
pub struct LinkConfig {
    /// `redis://` or `rediss://` URL of the Redis through which processes find each other.
    #[arg(
        id = "redis_url",
        long = "redis-url",
        env = "ATELIER_REDIS_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub url: String,
    /// Prefix of every key in Redis, so that deployments can share one.
    #[arg(
        id = "redis_prefix",
        long = "redis-prefix",
        env = "ATELIER_REDIS_PREFIX",
        default_value = "atelier",
        value_name = "TEXT"
    )]
    pub prefix: String,
    /// Longest time that a call waits for Redis.
    #[arg(skip = TIMEOUT)]
    pub timeout: Duration,
    /// Interval in which a host renews its sessions, and repairs a wipe.
    #[arg(skip = HEARTBEAT)]
    pub heartbeat: Duration,
    /// Lease of a session's connection: several heartbeats.
    #[arg(skip = LEASE)]
    pub lease: Duration,
    /// Lifetime of a session's record without a heartbeat. Then the session has expired (`no_session`).
    #[arg(skip = MEMORY)]
    pub memory: Duration,
}

impl LinkConfig {
    /// The default settings on this Redis.
    pub fn new(url: impl Into<String>, prefix: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prefix: prefix.into(),
            timeout: TIMEOUT,
            heartbeat: HEARTBEAT,
            lease: LEASE,
            memory: MEMORY,
        }
    }
}

impl fmt::Debug for LinkConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinkConfig")
            .field("url", &"<redacted>")
            .field("prefix", &self.prefix)
            .field("timeout", &self.timeout)
            .field("heartbeat", &self.heartbeat)
            .field("lease", &self.lease)
            .field("memory", &self.memory)
            .finish()
    }
}

/// This process's link to all others. Cheap to clone. Its tasks end when the last clone is dropped; a handler that holds
/// a clone keeps it alive.
#[derive(Clone)]
pub struct Link {
    pub(crate) shared: Arc<LinkState>,
    pub(crate) tasks: Arc<Tasks>,
}

impl Link {
    /// The id of this process.
    pub fn process(&self) -> ProcessId {
        self.shared.process
    }

    /// Checks that Redis can be used: a replica takes no writes, and a node of a cluster has only some of the keys.
    ///
    /// # Errors
    /// `UNAVAILABLE`: it doesn't answer, or refuses.
    pub async fn check(&self) -> Result<()> {
        let keys = &self.shared.keys;
        let mut pipeline = redis::pipe();
        pipeline
            .cmd("SET")
            .arg(keys.check(self.process()))
            .arg(1)
            .arg("PX")
            .arg(CHECK_LIFETIME_MILLIS)
            .ignore();
        // Keys of several slots, which one command of a cluster can't have.
        pipeline.cmd("MGET").arg(keys.known()).arg(keys.settling()).arg(keys.events()).ignore();
        self.shared.commands.query(&pipeline).await
    }

    /// Adds a task, to be stopped with the others.
    pub(crate) fn keep(&self, task: AbortHandle) {
        self.tasks.0.lock().push(task);
    }

    /// Stops all tasks. A stopping process does so before it releases its sessions.
    pub(crate) fn stop_tasks(&self) {
        self.tasks.stop();
    }
}

/// State shared by the tasks and all clones of a [`Link`].
pub(crate) struct LinkState {
    pub(crate) process: ProcessId,
    pub(crate) config: LinkConfig,
    pub(crate) keys: Keys,
    pub(crate) commands: Commands,
    pub(crate) scripts: Scripts,
    /// Rate limits while Redis is unavailable.
    pub(crate) rates: Local,
    /// The sessions that this process hosts, by connection.
    pub(crate) hosted: Mutex<HashMap<ConnectionId, HostedSession>>,
    /// Sessions closed here whose removal from Redis is pending.
    pub(crate) closing: Mutex<HashSet<SessionId>>,
    /// True if the last heartbeat failed.
    pub(crate) away: AtomicBool,
    /// The key of messages between processes; `None` until the database has told it.
    pub(crate) key: watch::Sender<Option<MessageKey>>,
    /// Requests of this process that wait for an answer.
    pub(crate) pending: Mutex<HashMap<Uuid, oneshot::Sender<Option<ProcessResponse>>>>,
    /// Permits for requests to this process.
    pub(crate) handling: Semaphore,
    /// Unannounced events; `None` while no announcer runs.
    pub(crate) announcing: Mutex<Option<HashSet<Announcement>>>,
    /// Client for subscriptions and the inbox's reader.
    pub(crate) client: Client,
    /// Runtime of background tasks: the runtime of a request may end before the process.
    pub(crate) runtime: Handle,
}

/// Milliseconds, as Redis takes durations.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Background tasks, which end with the last clone of their link.
pub(crate) struct Tasks(pub(crate) Mutex<Vec<AbortHandle>>);

impl Tasks {
    fn stop(&self) {
        self.0.lock().iter().for_each(AbortHandle::abort);
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.stop();
    }
}
