//! A transaction's connection. What begins the transaction travels with its first statement, and so costs no round trip.

use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join};

use crate::connect::PooledConnection;

/// A connection, in or before its transaction.
pub(crate) struct Connection {
    pooled: PooledConnection,
    /// What begins the transaction; `None` once it has begun.
    begin: Option<&'static str>,
}

impl Connection {
    /// The connection, which will begin its transaction with the statement `begin`.
    pub(super) fn new(pooled: PooledConnection, begin: &'static str) -> Self {
        Self { pooled, begin: Some(begin) }
    }

    /// Ends the transaction with `statement`, if it has begun.
    pub(super) async fn end(&mut self, statement: &str) -> QueryResult<()> {
        match self.begin {
            Some(_) => Ok(()),
            None => (&*self.pooled).batch_execute(statement).await,
        }
    }

    /// The connection for statements that are sent together: they run in the order in which their futures are first
    /// polled, and none waits for the answer to another.
    ///
    /// # Errors
    /// Those of beginning the transaction, where that is still to be done.
    pub(crate) async fn pipeline(&mut self) -> QueryResult<&AsyncPgConnection> {
        if self.begin.is_some() {
            let nothing = async { Ok(()) }.boxed();
            begin_with(&self.pooled, &mut self.begin, nothing).await?;
        }
        Ok(&self.pooled)
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

// What diesel's queries run on.
impl AsyncConnectionCore for Connection {
    type ExecuteFuture<'conn, 'query> = BoxFuture<'conn, QueryResult<usize>>;
    type LoadFuture<'conn, 'query> = BoxFuture<'conn, QueryResult<Self::Stream<'conn, 'query>>>;
    type Stream<'conn, 'query> = <AsyncPgConnection as AsyncConnectionCore>::Stream<'conn, 'query>;
    type Row<'conn, 'query> = <AsyncPgConnection as AsyncConnectionCore>::Row<'conn, 'query>;
    type Backend = <AsyncPgConnection as AsyncConnectionCore>::Backend;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> Self::LoadFuture<'conn, 'query>
    where
        T: AsQuery + 'query,
        T::Query: QueryFragment<Self::Backend> + QueryId + 'query,
    {
        let connection: &AsyncPgConnection = &self.pooled;
        let load = AsyncConnectionCore::load(&mut &*connection, source);
        begin_with(connection, &mut self.begin, load)
    }

    fn execute_returning_count<'conn, 'query, T>(
        &'conn mut self,
        source: T,
    ) -> Self::ExecuteFuture<'conn, 'query>
    where
        T: QueryFragment<Self::Backend> + QueryId + 'query,
    {
        let connection: &AsyncPgConnection = &self.pooled;
        let execute = AsyncConnectionCore::execute_returning_count(&mut &*connection, source);
        begin_with(connection, &mut self.begin, execute)
    }
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
