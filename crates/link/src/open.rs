//! Start of a link: its state and its background tasks.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use domain::Result;
use domain::id::ProcessId;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};

use crate::connection::{self, Commands};
use crate::keys::Keys;
use crate::link::{Link, LinkConfig, LinkState, Tasks};
use crate::rate::local::Local;
use crate::scripts::Scripts;
use crate::{inbox, registry, rights};

impl Link {
    /// Starts the heartbeat, even while Redis is unavailable. Must be called within a tokio runtime. Messages are
    /// exchanged after [`Link::serve`], once [`Link::seal_with`] has set their key.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`: invalid Redis URL.
    pub fn open(config: LinkConfig, process: ProcessId) -> Result<Self> {
        let client = connection::client(&config.url)?;
        let shared = Arc::new(LinkState {
            process,
            keys: Keys::new(&config.prefix),
            commands: Commands::open(client.clone(), config.timeout)?,
            config,
            scripts: Scripts::new(),
            rates: Local::default(),
            hosted: Mutex::default(),
            closing: Mutex::default(),
            away: AtomicBool::new(false),
            key: watch::Sender::new(None),
            pending: Mutex::default(),
            announcing: Mutex::default(),
            client,
            runtime: Handle::current(),
            handling: Semaphore::new(inbox::HANDLED_AT_ONCE),
        });
        let heartbeat = tokio::spawn(registry::beat(Arc::clone(&shared))).abort_handle();
        // A heartbeat must not wait for these answers: the outage that delays both would not be noticed.
        let rights = tokio::spawn(rights::check(Arc::clone(&shared))).abort_handle();
        Ok(Self { shared, tasks: Arc::new(Tasks(Mutex::new(vec![heartbeat, rights]))) })
    }
}
