//! Transactions: how they begin, end, and are run again after a conflict.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use domain::{Code, Error, Result};
use futures_util::future::join;

use crate::connection::{Begin, Connection, Transaction};
use crate::error::{SqlError, should_retry};
use crate::query::RunQueryDsl;
use crate::statement::Statement;

/// How often a transaction runs that PostgreSQL picks as the victim of a deadlock.
const ATTEMPTS: u32 = 3;

impl Begin {
    /// One consistent view. Read-only: PostgreSQL may plan per value, which pays for searches among many rows.
    pub const READ: Self =
        Self("begin isolation level repeatable read read only; set local plan_cache_mode = auto");
    /// Reads and writes.
    pub const WRITE: Self = Self("begin");
    /// As [`Begin::WRITE`], and gives up soon if another transaction holds a lock.
    pub const WRITE_BRIEFLY: Self = Self("begin; set local lock_timeout = '100ms'");
}

/// Runs `attempt`, which is a whole transaction, again if it lost a conflict.
pub async fn retry<R>(attempt: impl AsyncFn() -> Result<R>) -> Result<R> {
    let mut left = ATTEMPTS;
    loop {
        left -= 1;
        match attempt().await {
            Err(error) if left > 0 && should_retry(&error) => pause().await,
            done => return done,
        }
    }
}

/// A moment of up to 63 ms, in which the other transaction of a conflict passes: one that comes back at once would lock what
/// that one waits for, and both would meet again after each timeout of a deadlock.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(RandomState::new().hash_one(()) % 64)).await;
}

impl Connection {
    /// Ends the transaction as `done` demands: commits a success, rolls back a failure. A failure that only follows from
    /// another is answered as this other one.
    pub async fn finish<R>(&self, done: Result<R>) -> Result<R> {
        let done = done.map_err(|error| self.cause(error));
        // A silent server can't roll back either; waiting for it once more would double the time.
        if self.transaction() != Transaction::Open || self.is_silent() {
            return done;
        }
        let sql = if done.is_ok() { "commit" } else { "rollback" };
        let ended = self.end(sql).await;
        // A failed rollback changes nothing about the work's own failure.
        done.and_then(|done| ended.map(|()| done).map_err(SqlError::of_commit))
    }

    /// Runs the transaction's last statements and commits; COMMIT travels with them. If one of them fails, PostgreSQL
    /// turns COMMIT into ROLLBACK.
    ///
    /// Work that can fail outside of PostgreSQL must come before: COMMIT is sent before `last` is answered.
    ///
    /// # Errors
    /// Those of `last` and of COMMIT.
    pub async fn commit_with<R>(&self, last: impl Future<Output = Result<R>>) -> Result<R> {
        // A prepared COMMIT stays behind the prepared statements that were polled before it.
        let (done, committed) = join(last, Statement::new("commit").execute(self)).await;
        let is_lost = committed.as_ref().is_err_and(SqlError::is_lost);
        let done = done.and_then(|done| committed.map(|_| done).map_err(SqlError::of_commit));
        // COMMIT was sent, so the failure of a last statement that was lost with it says nothing about the transaction.
        let is_lost = is_lost && done.as_ref().is_err_and(|error| error.code == Code::Unavailable);
        let done = if is_lost { done.map_err(Error::outcome_unknown) } else { done }?;
        self.set_ended();
        Ok(done)
    }
}
