//! Runs diesel's queries and our own statements on a [`Connection`].
//!
//! Statements whose futures are joined travel together; they run in the order in which they are first polled.

use diesel::deserialize::FromSqlRow;
use diesel::dsl::Limit;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::query_dsl::methods::LimitDsl;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};

use crate::connection::Connection;
use crate::error::{SqlError, SqlResult};

/// diesel's methods that run a query, for a [`Connection`]. `ST` are the SQL types of the columns, `U` is a row.
pub trait RunQueryDsl: Sized {
    /// The number of affected rows.
    fn execute(self, connection: &Connection) -> impl Future<Output = SqlResult<usize>> + Send
    where
        Self: QueryFragment<Pg> + QueryId,
    {
        connection.execute(self)
    }

    /// All rows.
    fn load<U, ST>(self, connection: &Connection) -> impl Future<Output = SqlResult<Vec<U>>> + Send
    where
        Self: AsQuery<SqlType: CompatibleType<U, Pg, SqlType = ST>, Query: QueryFragment<Pg> + QueryId>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        Pg: QueryMetadata<Self::SqlType>,
    {
        let rows = self.load_stream(connection);
        async move { rows.await?.try_collect().await }
    }

    /// The rows as they arrive, for results that are too large to be held at once.
    fn load_stream<U, ST>(
        self,
        connection: &Connection,
    ) -> impl Future<Output = SqlResult<BoxStream<'_, SqlResult<U>>>> + Send
    where
        Self: AsQuery<SqlType: CompatibleType<U, Pg, SqlType = ST>, Query: QueryFragment<Pg> + QueryId>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        Pg: QueryMetadata<Self::SqlType>,
    {
        let rows = connection.load(self);
        async move {
            let read = |row| U::build_from_row(&row).map_err(SqlError::deserialization);
            Ok(rows.await?.map(move |row| row.and_then(read)).boxed())
        }
    }

    /// The first row; [`SqlError::is_not_found`] without any.
    fn get_result<U, ST>(self, connection: &Connection) -> impl Future<Output = SqlResult<U>> + Send
    where
        Self: AsQuery<SqlType: CompatibleType<U, Pg, SqlType = ST>, Query: QueryFragment<Pg> + QueryId>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        Pg: QueryMetadata<Self::SqlType>,
    {
        let rows = self.load_stream(connection);
        async move { rows.await?.try_next().await?.ok_or_else(SqlError::not_found) }
    }

    /// As [`RunQueryDsl::get_result`], with `limit 1`.
    fn first<U, ST>(self, connection: &Connection) -> impl Future<Output = SqlResult<U>> + Send
    where
        Self: LimitDsl,
        Limit<Self>:
            AsQuery<SqlType: CompatibleType<U, Pg, SqlType = ST>, Query: QueryFragment<Pg> + QueryId>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        Pg: QueryMetadata<<Limit<Self> as AsQuery>::SqlType>,
    {
        RunQueryDsl::get_result(LimitDsl::limit(self, 1), connection)
    }
}

impl<T> RunQueryDsl for T {}

/// Turns a missing row into `None`.
pub trait OptionalExtension<T> {
    /// `None` if there was no row.
    fn optional(self) -> SqlResult<Option<T>>;
}

impl<T> OptionalExtension<T> for SqlResult<T> {
    fn optional(self) -> SqlResult<Option<T>> {
        match self {
            Ok(row) => Ok(Some(row)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
