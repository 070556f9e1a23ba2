//! A transaction's connection. What begins the transaction travels with its first statement, and so costs no round trip;
//! and no statement is waited for longer than PostgreSQL may work on it.

use std::task::Poll;
use std::time::Duration;

use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::result::{DatabaseErrorKind, Error, QueryResult};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection};
use domain::Result;
use futures_util::future::{BoxFuture, join};
use futures_util::stream;
use futures_util::{FutureExt, StreamExt};
use tokio::time::{sleep, timeout};

use crate::db::error::failure;
use crate::db::pool::PooledConnection;

/// The rows that a statement gives.
type Rows = <AsyncPgConnection as AsyncConnectionCore>::Stream<'static, 'static>;

/// A connection, in or before its transaction.
pub(crate) struct Connection {
    pooled: PooledConnection,
    /// What begins the transaction; `None` once it has begun, and where there is none.
    begin: Option<&'static str>,
    /// Longest that PostgreSQL is waited for.
    patience: Duration,
}

/// The connection of a transaction that has begun, for statements that are sent together.
#[derive(Clone, Copy)]
pub struct Pipeline<'a> {
    postgres: &'a AsyncPgConnection,
    patience: Duration,
}

impl Connection {
    /// The connection, which will begin its transaction with the statement `begin`; without one each statement stands
    /// alone.
    pub(super) fn new(pooled: PooledConnection, begin: Option<&'static str>, patience: Duration) -> Self {
        Self { pooled, begin, patience }
    }

    /// Ends the transaction with `statement`, if it has begun.
    pub(super) async fn end(&mut self, statement: &str) -> QueryResult<()> {
        match self.begin {
            Some(_) => Ok(()),
            None => answered(self.patience, (&*self.pooled).batch_execute(statement)).await,
        }
    }

    /// Ends a transaction that has only read, without waiting for that: nothing depends on its end, and whatever is sent on the
    /// connection next comes after it. What is polled once is sent.
    pub(super) fn leave(&mut self) {
        if self.begin.is_none() {
            let _not_yet_done = (&*self.pooled).batch_execute("commit").now_or_never();
        }
    }

    /// Runs `work`, whose first statements travel with what begins the transaction, where that is still to be done.
    ///
    /// # Errors
    /// Those of beginning it, and of `work`.
    pub(super) async fn pipelined<R>(
        &mut self,
        work: impl AsyncFnOnce(Pipeline<'_>) -> Result<R>,
    ) -> Result<R> {
        let begin = self.begin.take();
        let pipeline = Pipeline { postgres: &self.pooled, patience: self.patience };
        let Some(sql) = begin else { return work(pipeline).await };
        let mut first = pipeline;
        // It is polled first, so it is sent first.
        let (begun, done) = join(first.batch_execute(sql), work(pipeline)).await;
        begun.map_err(failure)?;
        done
    }

    /// The connection for statements that are sent together: they run in the order in which their futures are first
    /// polled, and none waits for the answer to another.
    ///
    /// # Errors
    /// Those of beginning the transaction, where that is still to be done.
    pub(crate) async fn pipeline(&mut self) -> QueryResult<Pipeline<'_>> {
        if self.begin.is_some() {
            let nothing = async { Ok(()) }.boxed();
            answered(self.patience, begin_with(&self.pooled, &mut self.begin, nothing)).await?;
        }
        Ok(Pipeline { postgres: &self.pooled, patience: self.patience })
    }

    pub(super) fn into_pooled(self) -> PooledConnection {
        self.pooled
    }
}

impl SimpleAsyncConnection for Connection {
    async fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        self.pipeline().await?.batch_execute(query).await
    }
}

impl SimpleAsyncConnection for Pipeline<'_> {
    async fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        answered(self.patience, self.postgres.batch_execute(query)).await
    }
}

// What diesel's queries run on.
impl AsyncConnectionCore for Connection {
    type ExecuteFuture<'conn, 'query> = BoxFuture<'conn, QueryResult<usize>>;
    type LoadFuture<'conn, 'query> = BoxFuture<'conn, QueryResult<Self::Stream<'conn, 'query>>>;
    type Stream<'conn, 'query> = Rows;
    type Row<'conn, 'query> = <AsyncPgConnection as AsyncConnectionCore>::Row<'conn, 'query>;
    type Backend = <AsyncPgConnection as AsyncConnectionCore>::Backend;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> Self::LoadFuture<'conn, 'query>
    where
        T: AsQuery + 'query,
        T::Query: QueryFragment<Self::Backend> + QueryId + 'query,
    {
        let postgres: &AsyncPgConnection = &self.pooled;
        let load = AsyncConnectionCore::load(&mut &*postgres, source);
        loaded(self.patience, begin_with(postgres, &mut self.begin, load))
    }

    fn execute_returning_count<'conn, 'query, T>(
        &'conn mut self,
        source: T,
    ) -> Self::ExecuteFuture<'conn, 'query>
    where
        T: QueryFragment<Self::Backend> + QueryId + 'query,
    {
        let postgres: &AsyncPgConnection = &self.pooled;
        let execute = AsyncConnectionCore::execute_returning_count(&mut &*postgres, source);
        answered(self.patience, begin_with(postgres, &mut self.begin, execute)).boxed()
    }
}

// The futures borrow the connection and not the handle to it, so that there can be several.
impl<'a> AsyncConnectionCore for Pipeline<'a> {
    type ExecuteFuture<'conn, 'query> = BoxFuture<'a, QueryResult<usize>>;
    type LoadFuture<'conn, 'query> = BoxFuture<'a, QueryResult<Self::Stream<'conn, 'query>>>;
    type Stream<'conn, 'query> = Rows;
    type Row<'conn, 'query> = <AsyncPgConnection as AsyncConnectionCore>::Row<'conn, 'query>;
    type Backend = <AsyncPgConnection as AsyncConnectionCore>::Backend;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> Self::LoadFuture<'conn, 'query>
    where
        T: AsQuery + 'query,
        T::Query: QueryFragment<Self::Backend> + QueryId + 'query,
    {
        loaded(self.patience, AsyncConnectionCore::load(&mut self.postgres, source))
    }

    fn execute_returning_count<'conn, 'query, T>(
        &'conn mut self,
        source: T,
    ) -> Self::ExecuteFuture<'conn, 'query>
    where
        T: QueryFragment<Self::Backend> + QueryId + 'query,
    {
        let execute = AsyncConnectionCore::execute_returning_count(&mut self.postgres, source);
        answered(self.patience, execute).boxed()
    }
}

/// What PostgreSQL answers, unless it says nothing for longer than `patience`.
async fn answered<R>(patience: Duration, statement: impl Future<Output = QueryResult<R>>) -> QueryResult<R> {
    timeout(patience, statement).await.unwrap_or_else(|_| Err(silent()))
}

/// What a statement gives, as long as its rows keep coming.
fn loaded<'a>(
    patience: Duration,
    statement: BoxFuture<'a, QueryResult<Rows>>,
) -> BoxFuture<'a, QueryResult<Rows>> {
    async move {
        let mut rows = answered(patience, statement).await?;
        // Set only while a row is waited for: most are there when they are asked for.
        let mut wait = None;
        let paced = stream::poll_fn(move |context| {
            if let Poll::Ready(row) = rows.poll_next_unpin(context) {
                wait = None;
                return Poll::Ready(row);
            }
            let waited = wait.get_or_insert_with(|| Box::pin(sleep(patience))).poll_unpin(context);
            waited.map(|()| Some(Err(silent())))
        });
        Ok(paced.boxed())
    }
    .boxed()
}

/// The failure of a statement on a connection whose other end says nothing: it is as good as closed.
fn silent() -> Error {
    Error::DatabaseError(
        DatabaseErrorKind::ClosedConnection,
        Box::new("PostgreSQL has not answered in time".to_owned()),
    )
}

/// Runs a statement; with what begins the transaction before it, where that is still to be done.
fn begin_with<'a, R: Send + 'a>(
    mut connection: &'a AsyncPgConnection,
    begin: &'a mut Option<&'static str>,
    statement: BoxFuture<'a, QueryResult<R>>,
) -> BoxFuture<'a, QueryResult<R>> {
    let Some(sql) = *begin else { return statement };
    async move {
        // The first is polled first, so it is sent first.
        let (begun, done) = join(connection.batch_execute(sql), statement).await;
        begun?;
        *begin = None;
        done
    }
    .boxed()
}
