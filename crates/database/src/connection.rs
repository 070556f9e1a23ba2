//! A connection that a request uses: outside of transactions, or for one transaction.
//!
//! Queries run on a shared reference, so that joined futures are pipelined. PostgreSQL runs them in the order in which
//! the futures are polled first, also if only some of them are prepared. A pending `BEGIN` travels with the first
//! statement and costs no round trip. Each statement has a timeout on the client's side, for a server that is silent.

use std::task::Poll;
use std::time::Duration;

use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::result::{Error as DieselError, QueryResult};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection};
use domain::Error;
use futures_util::future::{Either, join};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use parking_lot::Mutex;
use tokio::time::{sleep, timeout};

use crate::error::{SqlError, SqlResult, follows_another};
use crate::pool::PooledConnection;

/// A row as PostgreSQL sends it.
type PgRow = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;

/// A connection in use. Dropped, it returns to its pool; with an open transaction or an unanswered statement it is
/// closed instead, and PostgreSQL rolls back at once. It is closed, too, if the server takes no writes: another one may.
pub struct Connection {
    /// Taken on drop.
    pooled: Option<PooledConnection>,
    state: Mutex<StatementProgress>,
    answer_timeout: Duration,
}

/// Progress of a connection's transaction and statements.
struct StatementProgress {
    transaction: Transaction,
    /// Statements that were sent and not answered.
    unanswered: usize,
    /// The server has refused a write.
    is_read_only: bool,
    /// The failure that aborted the transaction.
    aborted_by: Option<SqlError>,
}

/// Progress of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transaction {
    /// Each statement commits alone.
    None,
    /// `BEGIN` is sent with the first statement.
    Pending(Begin),
    /// Statements belong to the transaction.
    Open,
    /// No statement may follow.
    Ended,
}

/// The statements that begin a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begin(pub(crate) &'static str);

impl Connection {
    /// The connection with a pending `begin`; without one, each statement commits alone.
    pub(crate) fn new(pooled: PooledConnection, begin: Option<Begin>, answer_timeout: Duration) -> Self {
        let transaction = begin.map_or(Transaction::None, Transaction::Pending);
        let state = StatementProgress { transaction, unanswered: 0, is_read_only: false, aborted_by: None };
        let state = Mutex::new(state);
        Self { pooled: Some(pooled), state, answer_timeout }
    }

    /// Runs a statement of one or more commands without parameters.
    pub async fn batch_execute(&self, sql: &str) -> SqlResult<()> {
        let mut postgres = self.postgres()?;
        self.send(postgres.batch_execute(sql)).await
    }

    /// Runs a query; returns the number of affected rows.
    pub(crate) fn execute<T>(&self, query: T) -> impl Future<Output = SqlResult<usize>> + Send
    where
        T: QueryFragment<Pg> + QueryId,
    {
        match self.postgres() {
            Ok(mut postgres) => {
                Either::Left(self.send(AsyncConnectionCore::execute_returning_count(&mut postgres, query)))
            }
            Err(error) => Either::Right(std::future::ready(Err(error))),
        }
    }

    /// Runs a query; returns its rows as they arrive.
    pub(crate) fn load<T>(
        &self,
        query: T,
    ) -> impl Future<Output = SqlResult<BoxStream<'_, SqlResult<PgRow>>>> + Send
    where
        T: AsQuery,
        T::Query: QueryFragment<Pg> + QueryId,
    {
        match self.postgres() {
            Ok(mut postgres) => {
                let rows = self.send(AsyncConnectionCore::load(&mut postgres, query));
                Either::Left(rows.map(|rows| rows.map(|rows| self.pace(rows))))
            }
            Err(error) => Either::Right(std::future::ready(Err(error))),
        }
    }

    /// Sends `statement`, after a pending `BEGIN`, and waits for the answer.
    async fn send<R>(&self, statement: impl Future<Output = QueryResult<R>>) -> SqlResult<R> {
        let begin = self.state.lock().send()?;
        let mut postgres = self.postgres()?;
        let answer = async {
            let Some(Begin(sql)) = begin else { return statement.await };
            // The first to be polled is the first to be sent.
            let (begun, done) = join(postgres.batch_execute(sql), statement).await;
            begun.and(done)
        };
        match timeout(self.answer_timeout, answer).await {
            Ok(answer) => {
                self.state.lock().unanswered -= 1;
                answer.map_err(|error| self.failure(error))
            }
            Err(_) => Err(SqlError::no_answer()),
        }
    }

    /// Bounds the wait for each row.
    fn pace(&self, mut rows: BoxStream<'static, QueryResult<PgRow>>) -> BoxStream<'_, SqlResult<PgRow>> {
        // Most rows are there when they are asked for: a timer is set only for those that are not.
        let mut timer = None;
        let paced = stream::poll_fn(move |context| {
            if let Poll::Ready(row) = rows.poll_next_unpin(context) {
                timer = None;
                return Poll::Ready(row.map(|row| row.map_err(|error| self.failure(error))));
            }
            let timed_out =
                timer.get_or_insert_with(|| Box::pin(sleep(self.answer_timeout))).poll_unpin(context);
            timed_out.map(|()| {
                self.state.lock().unanswered += 1;
                Some(Err(SqlError::no_answer()))
            })
        });
        paced.boxed()
    }

    fn failure(&self, error: DieselError) -> SqlError {
        let error = SqlError::from(error);
        let mut state = self.state.lock();
        if error.is_read_only() {
            state.is_read_only = true;
        }
        if state.aborted_by.is_none() {
            state.aborted_by = error.aborts();
        }
        error
    }

    /// The failure that aborted the transaction, if `error` is of a later statement, which PostgreSQL refuses for no fault of
    /// its own. Of joined futures the later statement's may be the first to tell its failure.
    pub(crate) fn cause(&self, error: Error) -> Error {
        let aborted_by = if follows_another(&error) { self.state.lock().aborted_by.take() } else { None };
        aborted_by.map_or(error, Error::from)
    }

    /// `true` if an answer is missing: its statement timed out, or nobody waits for it any more.
    pub(crate) fn is_silent(&self) -> bool {
        self.state.lock().unanswered > 0
    }

    /// `true` if statements of a transaction were sent, and it has not ended.
    pub fn is_open(&self) -> bool {
        self.transaction() == Transaction::Open
    }

    pub(crate) fn transaction(&self) -> Transaction {
        self.state.lock().transaction
    }

    /// Ends the transaction with `sql`.
    pub(crate) async fn end(&self, sql: &str) -> SqlResult<()> {
        self.batch_execute(sql).await?;
        self.set_ended();
        Ok(())
    }

    /// Ends a transaction that has only read, without waiting for the answer: statements that follow on the
    /// connection run after it.
    pub fn end_read(&self) {
        if self.transaction() == Transaction::Open
            && !self.is_silent()
            && let Ok(mut postgres) = self.postgres()
        {
            // One poll sends it.
            let _unanswered = postgres.batch_execute("commit").now_or_never();
            self.set_ended();
        }
    }

    pub(crate) fn set_ended(&self) {
        self.state.lock().transaction = Transaction::Ended;
    }

    /// Closes the connection rather than returning it to its pool.
    pub(crate) fn close(mut self) {
        if let Some(pooled) = self.pooled.take() {
            pooled.close();
        }
    }

    /// Takes the connection out of its pool.
    pub(crate) fn into_postgres(mut self) -> SqlResult<AsyncPgConnection> {
        self.pooled.take().and_then(PooledConnection::take).ok_or_else(SqlError::ended)
    }

    fn postgres(&self) -> SqlResult<&AsyncPgConnection> {
        self.pooled.as_ref().and_then(PooledConnection::postgres).ok_or_else(SqlError::ended)
    }
}

impl StatementProgress {
    /// Counts a statement; returns the `BEGIN` to send before it.
    fn send(&mut self) -> SqlResult<Option<Begin>> {
        let begin = match self.transaction {
            Transaction::Pending(begin) => {
                self.transaction = Transaction::Open;
                Some(begin)
            }
            Transaction::None | Transaction::Open => None,
            Transaction::Ended => return Err(SqlError::ended()),
        };
        self.unanswered += 1;
        Ok(begin)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some(pooled) = self.pooled.take() else { return };
        if self.transaction() == Transaction::Open || self.is_silent() || self.state.lock().is_read_only {
            pooled.close();
        }
    }
}
