//! The connections to PostgreSQL: so many for the process, each at home on the thread that opened it.
//!
//! What drives a connection is a task of the runtime on which it was opened. Where that is the thread whose requests use
//! it, a statement wakes no other thread, and a thread that is busy keeps nobody else's statements waiting. So each
//! thread has a pool; that there are not too many connections in all is seen to here.

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

use crate::db::config::{ACQUIRE_TIMEOUT, Address};

/// How long a connection lies idle on its thread before another thread that has too few may have its place.
const SPARE_AFTER: Duration = Duration::from_secs(10);

/// What a connection that is there already takes: no time to open one.
const NO_OPENING: Timeouts = Timeouts { wait: None, create: Some(Duration::ZERO), recycle: None };

/// A connection of a pool.
type Pooled = Object<AsyncDieselConnectionManager<AsyncPgConnection>>;

/// The pools of all threads. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Pools(Arc<Shared>);

struct Shared {
    /// Most connections of the process.
    most: usize,
    /// One for each that may be in use. First come, first served.
    in_use: Arc<Semaphore>,
    of_threads: ThreadLocal<Pool<AsyncPgConnection>>,
    /// Those that are just being opened, which no pool counts yet.
    opening: AtomicUsize,
    address: Arc<Address>,
}

/// A connection that is in use. Dropped, it goes back to its pool.
pub(crate) struct PooledConnection {
    connection: Pooled,
    _in_use: OwnedSemaphorePermit,
}

impl Pools {
    /// Pools of `most` connections to `address`, which are opened when they are needed.
    pub(crate) fn new(most: usize, address: Address) -> Self {
        let in_use = Arc::new(Semaphore::new(most));
        let (of_threads, opening) = (ThreadLocal::new(), AtomicUsize::new(0));
        Self(Arc::new(Shared { most, in_use, of_threads, opening, address: Arc::new(address) }))
    }

    /// A connection: one of this thread's, or a new one, or, where there are enough already, another thread's.
    ///
    /// # Errors
    /// `UNAVAILABLE` where none comes in time.
    pub(crate) async fn get(&self) -> Result<PooledConnection> {
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

impl Shared {
    /// A connection for the thread whose pool is `own`. In use are fewer than there may be, as this one is not yet: where no
    /// more may be opened one lies idle. `None` where it was just taken by another.
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
        // A server that takes the connection and says nothing is not waited for. Nothing else can take long.
        let timeouts = Timeouts { wait: None, create: Some(ACQUIRE_TIMEOUT), recycle: None };
        Pool::builder(AsyncDieselConnectionManager::new_with_config(String::new(), manager))
            .max_size(self.most)
            // The last one used is the one whose memory is at hand, here and in PostgreSQL; and what is spare shows.
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .timeouts(timeouts)
            .build()
            .map_err(Error::internal)
    }

    /// The right to open one more, where that may be. Room is made where a thread has had one to spare for a while: what is
    /// closed and opened again all the time would cost more than what is shared.
    fn opening(&self) -> Option<Opening<'_>> {
        let opening = self.opening.fetch_add(1, Ordering::AcqRel);
        let right = Opening(&self.opening);
        let open: usize = self.of_threads.iter().map(|pool| pool.status().size).sum();
        (open + opening < self.most || self.of_threads.iter().any(close_spare)).then_some(right)
    }
}

/// One that is being opened.
struct Opening<'a>(&'a AtomicUsize);

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// An idle connection of a pool. Never opens one, also where the last was taken or closed meanwhile.
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

/// Closes a connection that has lain idle for a while; whether there was one.
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
    /// Takes it out of its pool: nobody else gets it.
    pub(crate) fn take(self) -> AsyncPgConnection {
        Object::take(self.connection)
    }
}

impl Deref for PooledConnection {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        &self.connection
    }
}
