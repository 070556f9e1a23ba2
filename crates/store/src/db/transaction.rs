//! Transactions: how they begin, end, and are run again after a conflict.

use domain::{Error, Result};
use futures_util::future::join;

use crate::db::connection::{Begin, Connection, Transaction};
use crate::db::error::should_retry;
use crate::db::query::RunQueryDsl;
use crate::db::statement::Statement;

/// How often a transaction runs that PostgreSQL picks as the victim of a deadlock.
const ATTEMPTS: u32 = 3;

impl Begin {
    /// One consistent view. Read-only: PostgreSQL may plan per value, which pays for searches among many rows.
    pub(crate) const READ: Self =
        Self("begin isolation level repeatable read read only; set local plan_cache_mode = auto");
    /// Reads and writes.
    pub(crate) const WRITE: Self = Self("begin");
}

/// Runs `attempt`, which is a whole transaction, again if it lost a conflict.
pub(crate) async fn retry<R>(attempt: impl AsyncFn() -> Result<R>) -> Result<R> {
    for _ in 1..ATTEMPTS {
        match attempt().await {
            Err(error) if should_retry(&error) => {}
            done => return done,
        }
    }
    attempt().await
}

impl Connection {
    /// Ends the transaction as `done` demands: commits a success, rolls back a failure.
    pub(crate) async fn finish<R>(&self, done: Result<R>) -> Result<R> {
        // A silent server can't roll back either; waiting for it once more would double the time.
        if self.transaction() != Transaction::Open || self.is_silent() {
            return done;
        }
        let sql = if done.is_ok() { "commit" } else { "rollback" };
        let ended = self.end(sql).await.map_err(Error::from);
        // A failed rollback changes nothing about the work's own failure.
        done.and_then(|done| ended.map(|()| done))
    }

    /// Runs the transaction's last statements and commits; COMMIT travels with them. If one of them fails, PostgreSQL
    /// turns COMMIT into ROLLBACK.
    ///
    /// Whatever can fail without PostgreSQL has to be done before: COMMIT is sent before `last` has an answer.
    ///
    /// # Errors
    /// Those of `last` and of COMMIT.
    pub(crate) async fn commit_with<R>(&self, last: impl Future<Output = Result<R>>) -> Result<R> {
        // A prepared COMMIT stays behind the prepared statements that were polled before it.
        let (done, committed) = join(last, Statement::new("commit").execute(self)).await;
        let done = done.and_then(|done| committed.map(|_| done).map_err(Error::from))?;
        self.set_ended();
        Ok(done)
    }
}
