//! Pools of connections to PostgreSQL, one for each thread, with a common limit.
//!
//! A connection is driven by a task of the runtime that opened it. If that is the thread of the requests which use it,
//! a statement wakes no other thread, and a busy thread delays nobody else's statements.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{Object, PoolError, QueueMode, TimeoutType, Timeouts};
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use domain::{Error, Result};
use futures_util::FutureExt;
use thread_local::ThreadLocal;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::config::{ACQUIRE_TIMEOUT, Address};

/// Idle time after which a connection is closed if another thread needs its place.
const SPARE_AFTER: Duration = Duration::from_secs(10);

/// Timeouts that allow an idle connection only: there is no time to open one.
const NO_OPENING: Timeouts = Timeouts { wait: None, create: Some(Duration::ZERO), recycle: None };

/// A connection of a pool.
type Pooled = Object<AsyncDieselConnectionManager<AsyncPgConnection>>;

/// The pools of all threads. Cheap to clone.
#[derive(Clone)]
pub struct Pools(Arc<PoolState>);

struct PoolState {
    /// Limit on the connections of the process.
    most: usize,
    /// One permit for each connection that may be in use. First come, first served.
    in_use: Arc<Semaphore>,
    of_threads: ThreadLocal<Pool<AsyncPgConnection>>,
    /// Connections that are being opened, which no pool counts yet.
    opening: AtomicUsize,
    address: Arc<Address>,
}

/// A connection in use. Dropped, it returns to its pool.
pub struct PooledConnection {
    connection: Pooled,
    _in_use: OwnedSemaphorePermit,
}

impl Pools {
    /// Pools of at most `most` connections to `address`, which are opened on demand.
    pub fn new(most: usize, address: Address) -> Self {
        let in_use = Arc::new(Semaphore::new(most));
        let (of_threads, opening) = (ThreadLocal::new(), AtomicUsize::new(0));
        Self(Arc::new(PoolState { most, in_use, of_threads, opening, address: Arc::new(address) }))
    }

    /// An idle connection of this thread, or a new one, or, at the limit, one of another thread.
    ///
    /// # Errors
    /// `UNAVAILABLE` if none is free in time.
    pub async fn get(&self) -> Result<PooledConnection> {
        let shared = &*self.0;
        let turn = timeout(ACQUIRE_TIMEOUT, Arc::clone(&shared.in_use).acquire_owned());
        let in_use = turn.await.map_err(Error::unavailable)?.map_err(Error::unavailable)?;
        let own = shared.of_threads.get_or_try(|| shared.pool())?;
        let connection = loop {
            match shared.find(own).await? {
                Some(connection) => break connection,
                None => yield_now().await,
            }
        };
        Ok(PooledConnection { connection, _in_use: in_use })
    }
}

impl PoolState {
    /// A connection for the thread with the pool `own`. The caller holds a permit, so at the limit one connection is
    /// idle; `None` if another thread has just taken it.
    async fn find(&self, own: &Pool<AsyncPgConnection>) -> Result<Option<Pooled>> {
        if let Some(idle) = take_idle(own).await? {
            return Ok(Some(idle));
        }
        if let Some(_right) = self.opening() {
            return own.get().await.map(Some).map_err(Error::unavailable);
        }
        for other in &self.of_threads {
            if let Some(idle) = take_idle(other).await? {
                return Ok(Some(idle));
            }
        }
        Ok(None)
    }

    fn pool(&self) -> Result<Pool<AsyncPgConnection>> {
        let mut manager = ManagerConfig::default();
        // A closed connection is noticed without a query: the manager asks the driver.
        manager.recycling_method = RecyclingMethod::Fast;
        let address = Arc::clone(&self.address);
        manager.custom_setup = Box::new(move |_| {
            let address = Arc::clone(&address);
            async move { address.connect().await }.boxed()
        });
        // Bounds a server that never answers; other steps are local.
        let timeouts = Timeouts { wait: None, create: Some(ACQUIRE_TIMEOUT), recycle: None };
        Pool::builder(AsyncDieselConnectionManager::new_with_config(String::new(), manager))
            .max_size(self.most)
            // The last one used is in the caches, here and in PostgreSQL, and the spare ones become visible.
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .timeouts(timeouts)
            .build()
            .map_err(Error::internal)
    }

    /// The right to open one more connection, if the limit allows it. At the limit, a spare connection of another
    /// thread is closed; one that was used recently is not, because reconnecting costs more than sharing.
    fn opening(&self) -> Option<OpeningConnection<'_>> {
        let opening = self.opening.fetch_add(1, Ordering::AcqRel);
        let right = OpeningConnection(&self.opening);
        let open: usize = self.of_threads.iter().map(|pool| pool.status().size).sum();
        (open + opening < self.most || self.of_threads.iter().any(close_spare)).then_some(right)
    }
}

/// Counts a connection that is being opened.
struct OpeningConnection<'a>(&'a AtomicUsize);

impl Drop for OpeningConnection<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// An idle connection of a pool, if there is one. Never opens one.
async fn take_idle(pool: &Pool<AsyncPgConnection>) -> Result<Option<Pooled>> {
    if pool.status().available == 0 {
        return Ok(None);
    }
    match pool.timeout_get(&NO_OPENING).await {
        Ok(idle) => Ok(Some(idle)),
        Err(PoolError::Timeout(TimeoutType::Create) | PoolError::Backend(_)) => Ok(None),
        Err(error) => Err(Error::unavailable(error)),
    }
}

/// Closes a connection that is idle for [`SPARE_AFTER`]; returns whether there was one.
fn close_spare(pool: &Pool<AsyncPgConnection>) -> bool {
    let mut closed = false;
    pool.retain(|_, metrics| {
        let closes = !closed && metrics.last_used() > SPARE_AFTER;
        closed |= closes;
        !closes
    });
    closed
}

impl PooledConnection {
    /// Removes the connection from its pool.
    pub fn take(self) -> AsyncPgConnection {
        Object::take(self.connection)
    }
}

impl Deref for PooledConnection {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        &self.connection
    }
}
