//! Transactions: how they begin, end, and are run again after a conflict.

use domain::{Code, Error, Result};
use futures_util::future::join;

use crate::db::connection::{Begin, Connection, Transaction};
use crate::db::error::{SqlError, should_retry};
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
    /// As [`Begin::WRITE`], and gives up soon if another transaction holds a lock.
    pub(crate) const WRITE_BRIEFLY: Self = Self("begin; set local lock_timeout = '100ms'");
}

/// Runs `attempt`, which is a whole transaction, again if it lost a conflict.
pub(crate) async fn retry<R>(attempt: impl AsyncFn() -> Result<R>) -> Result<R> {
    let mut left = ATTEMPTS;
    loop {
        left -= 1;
        match attempt().await {
            Err(error) if left > 0 && should_retry(&error) => {}
            done => return done,
        }
    }
}

impl Connection {
    /// Ends the transaction as `done` demands: commits a success, rolls back a failure.
    pub(crate) async fn finish<R>(&self, done: Result<R>) -> Result<R> {
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
    pub(crate) async fn commit_with<R>(&self, last: impl Future<Output = Result<R>>) -> Result<R> {
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

#[cfg(test)]
mod tests {
    use diesel::sql_types::Integer;
    use testkit::database::Database as TestDatabase;

    use super::*;
    use crate::db::config::DatabaseConfig;
    use crate::db::database::Database;

    /// A database with one connection and a table `numbers`.
    async fn numbers() -> (TestDatabase, Database) {
        let test = TestDatabase::create().await;
        let statement_secs = DatabaseConfig::STATEMENT_SECS;
        let database =
            Database::open(&DatabaseConfig { url: test.url(), max_connections: 1, statement_secs }).unwrap();
        database
            .connect()
            .await
            .unwrap()
            .batch_execute("create table numbers (value int primary key)")
            .await
            .unwrap();
        (test, database)
    }

    async fn insert(connection: &Connection, sql: &str, value: i32) -> Result<()> {
        let sql = format!("{sql} into numbers (value) values ($1)");
        let inserted = Statement::new(sql).bind::<Integer, _>(value).execute(connection).await?;
        assert_eq!(inserted, 1);
        Ok(())
    }

    async fn count(test: &TestDatabase) -> i64 {
        test.count("select count(*) from numbers").await
    }

    #[tokio::test]
    async fn joined_statements_share_the_transaction_that_the_first_begins() {
        let (test, database) = numbers().await;
        let connection = database.begin(Begin::WRITE).await.unwrap();
        let (one, two) = join(insert(&connection, "insert", 1), insert(&connection, "insert", 2)).await;
        one.and(two).unwrap();
        assert_eq!(connection.transaction(), Transaction::Open);
        let refused: Result<()> = connection.finish(Err(Error::forbidden())).await;
        assert_eq!(refused.unwrap_err().code, domain::Code::Forbidden);
        assert_eq!(count(&test).await, 0);
        let late = insert(&connection, "insert", 3).await.unwrap_err();
        assert_eq!(late.code, domain::Code::InternalError);
        assert_eq!(count(&test).await, 0);
    }

    #[tokio::test]
    async fn a_prepared_commit_does_not_overtake_a_statement_that_is_not_prepared() {
        let (test, database) = numbers().await;
        for (value, sql) in (1..).zip(["insert", "Insert", "INSERT"]) {
            let connection = database.begin(Begin::WRITE).await.unwrap();
            insert(&connection, sql, 10 * value).await.unwrap();
            // Differs from the statement before, so this is the first time that the connection runs it.
            connection.commit_with(insert(&connection, &format!("{sql} /* last */"), value)).await.unwrap();
            assert_eq!(connection.finish(Ok(value)).await.unwrap(), value);
            assert_eq!(count(&test).await, 2 * i64::from(value));
        }
        let connection = database.begin(Begin::WRITE).await.unwrap();
        insert(&connection, "insert", 100).await.unwrap();
        let refused = connection.commit_with(insert(&connection, "insert /* again */", 100)).await;
        let refused: Result<()> = connection.finish(refused).await;
        assert_eq!(refused.unwrap_err().code, domain::Code::InternalError);
        drop(connection);
        assert_eq!(count(&test).await, 6);
    }

    #[tokio::test]
    async fn a_dropped_transaction_is_rolled_back_and_its_connection_replaced() {
        let (test, database) = numbers().await;
        let connection = database.begin(Begin::WRITE).await.unwrap();
        insert(&connection, "insert", 1).await.unwrap();
        drop(connection);
        let connection = database.begin(Begin::WRITE).await.unwrap();
        connection.commit_with(insert(&connection, "insert", 1)).await.unwrap();
        assert_eq!(count(&test).await, 1);
    }
}
