//! The pool of connections to PostgreSQL, with a limit for the process.
//!
//! A connection is driven by a task of the runtime that opened it. If that is the thread of the requests which use it,
//! a statement wakes no other thread, and a busy thread delays nobody else's statements. So each thread uses its own idle
//! connections first, and those of others only at the limit.

use std::sync::Arc;
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use diesel_async::AsyncPgConnection;
use domain::{Error, Result};
use futures_util::future::Either;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::config::ACQUIRE_TIMEOUT;
use crate::opening::{OpenConnection, Opener};

/// Idle time after which a connection is closed if another thread needs its place.
const SPARE_AFTER: Duration = Duration::from_secs(10);

/// The pool. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Pool(Arc<PoolState>);

struct PoolState {
    /// One permit for each connection that may be in use. First come, first served.
    in_use: Arc<Semaphore>,
    /// As many permits, one for each connection that is open or being opened.
    open: Arc<Semaphore>,
    /// The last one used is the last: it is in the caches, here and in PostgreSQL, and the spare ones become visible.
    idle: Mutex<Vec<IdleConnection>>,
    opener: Opener,
}

struct IdleConnection {
    connection: Counted,
    /// The thread that drives it.
    thread: ThreadId,
    since: Instant,
}

/// An open connection, and its place within the limit.
struct Counted {
    open: OpenConnection,
    _place: OwnedSemaphorePermit,
}

/// A connection in use. Dropped, it returns to its pool.
pub(crate) struct PooledConnection {
    /// Taken on drop.
    connection: Option<Counted>,
    thread: ThreadId,
    pool: Pool,
    /// The last field: the connection is idle, or its place is free, before another may want it.
    _in_use: OwnedSemaphorePermit,
}

impl Pool {
    /// A pool of at most `most` connections, which are opened on demand.
    pub(crate) fn new(most: usize, opener: Opener) -> Self {
        let permits = || Arc::new(Semaphore::new(most));
        Self(Arc::new(PoolState { in_use: permits(), open: permits(), idle: Mutex::default(), opener }))
    }

    /// An idle connection of this thread, or a new one, or, at the limit, one of another thread.
    ///
    /// # Errors
    /// `UNAVAILABLE` if none is free in time, or none can be opened.
    pub(crate) async fn get(&self) -> Result<PooledConnection> {
        let turn = timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.0.in_use).acquire_owned());
        let in_use = turn.await.map_err(Error::unavailable)?.map_err(Error::unavailable)?;
        let (connection, thread) = match self.0.find()? {
            Either::Left(idle) => (idle.connection, idle.thread),
            Either::Right(place) => {
                let open = self.0.opener.open().await?;
                (Counted { open, _place: place }, std::thread::current().id())
            }
        };
        Ok(PooledConnection { connection: Some(connection), thread, pool: self.clone(), _in_use: in_use })
    }
}

impl PoolState {
    /// An idle connection for this thread, or the place of one to open. The caller is one of at most as many users as there are places, so either a place is
    /// free or a connection is idle: nobody waits here.
    fn find(&self) -> Result<Either<IdleConnection, OwnedSemaphorePermit>> {
        let (here, now) = (std::thread::current().id(), Instant::now());
        let mut idle = self.idle.lock();
        idle.retain(|idle| !idle.connection.open.driver.is_closed());
        if let Some(own) = idle.iter().rposition(|idle| idle.thread == here) {
            return Ok(Either::Left(idle.remove(own)));
        }
        // One that was used recently is not closed, because reconnecting costs more than sharing.
        if self.open.available_permits() == 0
            && idle.first().is_some_and(|first| now.duration_since(first.since) > SPARE_AFTER)
        {
            drop(idle.remove(0));
        }
        if let Ok(place) = Arc::clone(&self.open).try_acquire_owned() {
            return Ok(Either::Right(place));
        }
        idle.pop().map(Either::Left).ok_or_else(|| Error::internal("a connection was lost from the pool"))
    }
}

impl PooledConnection {
    /// Removes the connection from its pool. It closes when it is dropped.
    pub(crate) fn take(mut self) -> Option<AsyncPgConnection> {
        let Counted { open: OpenConnection { postgres, driver }, .. } = self.connection.take()?;
        driver.detach();
        Some(postgres)
    }

    /// Closes the connection.
    pub(crate) fn close(mut self) {
        drop(self.connection.take());
    }

    pub(crate) fn postgres(&self) -> Option<&AsyncPgConnection> {
        self.connection.as_ref().map(|counted| &counted.open.postgres)
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            let since = Instant::now();
            self.pool.0.idle.lock().push(IdleConnection { connection, thread: self.thread, since });
        }
    }
}
