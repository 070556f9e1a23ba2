//! Waits for locks. Few transactions wait with a connection; the others wait for a place among them without one.
//!
//! So the waiters for one held row don't take all connections of the process.

use std::sync::Arc;

use domain::{Error, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::config::ACQUIRE_TIMEOUT;
use crate::connection::Begin;

/// Of this many connections, one may wait for a lock up to `lock_timeout`.
const CONNECTIONS_PER_WAITER: usize = 4;

/// The places of transactions that may wait for locks. Cheap to clone.
#[derive(Clone)]
pub struct Patience(Arc<Semaphore>);

/// The right of a transaction to wait for locks, as long as it lives.
pub struct LockTurn(Option<OwnedSemaphorePermit>);

impl Patience {
    /// Places for a process with this many connections.
    pub(crate) fn new(connections: usize) -> Self {
        Self(Arc::new(Semaphore::new((connections / CONNECTIONS_PER_WAITER).max(1))))
    }

    /// A turn for a first attempt. Without a free place, the transaction gives up soon where it finds a lock.
    pub fn first_turn(&self) -> LockTurn {
        LockTurn(Arc::clone(&self.0).try_acquire_owned().ok())
    }

    /// A turn to wait for locks, after an attempt that gave up. First come, first served.
    ///
    /// # Errors
    /// `UNAVAILABLE` if no place is free in time.
    pub async fn turn(&self) -> Result<LockTurn> {
        let place = timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.0).acquire_owned()).await;
        let place = place.map_err(Error::unavailable)?.map_err(Error::unavailable)?;
        Ok(LockTurn(Some(place)))
    }
}

impl LockTurn {
    /// `true` if the transaction may wait.
    pub fn may_wait(&self) -> bool {
        self.0.is_some()
    }

    /// The statement that begins the transaction.
    pub fn begin(&self) -> Begin {
        if self.may_wait() { Begin::WRITE } else { Begin::WRITE_BRIEFLY }
    }
}
