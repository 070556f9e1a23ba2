//! A process's place among the others: its settings, its shared state, and the tasks that keep it there.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use domain::Result;
use domain::id::{ProcessId, SessionId};
use domain::session::ConnectionId;
use parking_lot::Mutex;
use redis::Client;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::AbortHandle;
use uuid::Uuid;

use crate::connection::{self, Commands};
use crate::inbox;
use crate::keys::Keys;
use crate::message::{Request, Response};
use crate::rate::Local;
use crate::registry::{self, Hosted, Scripts};

const TIMEOUT: Duration = Duration::from_millis(250);
const HEARTBEAT: Duration = Duration::from_secs(5);
const LEASE: Duration = Duration::from_secs(15);
const MEMORY: Duration = Duration::from_secs(8 * 60 * 60);

/// How to reach Redis, and the rhythm of the registry.
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
    /// What every key in Redis starts with, so that deployments can share one.
    #[arg(
        id = "redis_prefix",
        long = "redis-prefix",
        env = "ATELIER_REDIS_PREFIX",
        default_value = "atelier",
        value_name = "TEXT"
    )]
    pub prefix: String,
    /// Longest time that a call spends on Redis, whatever state Redis is in.
    #[arg(skip = TIMEOUT)]
    pub timeout: Duration,
    /// How often a host renews its sessions; after a wipe they are back within this time.
    #[arg(skip = HEARTBEAT)]
    pub heartbeat: Duration,
    /// How long a session's connection stays live without a heartbeat; several heartbeats.
    #[arg(skip = LEASE)]
    pub lease: Duration,
    /// How long a session is remembered without a heartbeat; after that it has lapsed (`no_session`).
    #[arg(skip = MEMORY)]
    pub memory: Duration,
}

impl LinkConfig {
    /// The settings of a deployment on this Redis.
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

/// This process's link to all others. Cheap to clone; when the last clone is dropped its heartbeats end, as if the
/// process had died. A handler that holds a clone keeps it alive.
#[derive(Clone)]
pub struct Link {
    pub(crate) shared: Arc<Shared>,
    tasks: Arc<Tasks>,
}

impl Link {
    /// Starts the heartbeat and the reader of this process's inbox. Redis need not be there, now or later. Must be called
    /// within a tokio runtime.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`: the URL is none of Redis.
    pub fn open(config: LinkConfig, process: ProcessId) -> Result<Self> {
        let client = connection::client(&config.url)?;
        let shared = Arc::new(Shared {
            process,
            keys: Keys::new(&config.prefix),
            commands: Commands::open(client.clone(), config.timeout)?,
            config,
            scripts: Scripts::new(),
            rates: Local::default(),
            hosted: Mutex::default(),
            closing: Mutex::default(),
            away: AtomicBool::new(false),
            pending: Mutex::default(),
            handler: Mutex::default(),
            announcing: Mutex::default(),
            client,
            runtime: Handle::current(),
            handling: Semaphore::new(inbox::HANDLED_AT_ONCE),
        });
        let tasks = vec![
            tokio::spawn(inbox::read(Arc::clone(&shared))).abort_handle(),
            tokio::spawn(registry::beat(Arc::clone(&shared))).abort_handle(),
        ];
        Ok(Self { shared, tasks: Arc::new(Tasks(Mutex::new(tasks))) })
    }

    /// The id under which the others know this process.
    pub fn process(&self) -> ProcessId {
        self.shared.process
    }

    /// Whether Redis answers.
    ///
    /// # Errors
    /// `UNAVAILABLE`: it does not.
    pub async fn ping(&self) -> Result<()> {
        self.shared.commands.query(redis::pipe().cmd("PING").ignore()).await
    }

    /// Has a task end with the others.
    pub(crate) fn keep(&self, task: AbortHandle) {
        self.tasks.0.lock().push(task);
    }

    /// Ends heartbeats and reading: what a stopping process does before it gives up its sessions.
    pub(crate) fn stop_tasks(&self) {
        self.tasks.stop();
    }
}

/// Handles a request to this process.
pub(crate) type Handler = dyn Fn(Request) -> Pin<Box<dyn Future<Output = Response> + Send>> + Send + Sync;

/// What the tasks and all clones of a [`Link`] share.
pub(crate) struct Shared {
    pub(crate) process: ProcessId,
    pub(crate) config: LinkConfig,
    pub(crate) keys: Keys,
    pub(crate) commands: Commands,
    pub(crate) scripts: Scripts,
    /// Requests that this process counts while Redis is away.
    pub(crate) rates: Local,
    /// The sessions that this process hosts, by their connection.
    pub(crate) hosted: Mutex<HashMap<ConnectionId, Hosted>>,
    /// Sessions closed here that Redis does not know to be closed yet.
    pub(crate) closing: Mutex<HashSet<SessionId>>,
    /// Whether the last heartbeat did not reach Redis.
    pub(crate) away: AtomicBool,
    /// Requests of this process that wait for their answer.
    pub(crate) pending: Mutex<HashMap<Uuid, oneshot::Sender<Option<Response>>>>,
    pub(crate) handler: Mutex<Option<Arc<Handler>>>,
    pub(crate) handling: Semaphore,
    /// Sessions whose new events are to be announced; `None` while nobody is announcing.
    pub(crate) announcing: Mutex<Option<HashSet<SessionId>>>,
    /// For connections that only listen.
    pub(crate) client: Client,
    /// Where this process's own tasks run: that of a request may end before the process does.
    pub(crate) runtime: Handle,
}

/// A duration as Redis takes it.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

struct Tasks(Mutex<Vec<AbortHandle>>);

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
