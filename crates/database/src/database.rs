//! The database: the pool of connections, and the bound on the time that a statement may take.

use std::time::Duration;

use diesel::sql_types::Bool;
use diesel::{QueryableByName, sql_query};
use domain::{Error, Result};

use crate::config::DatabaseConfig;
use crate::connection::{Begin, Connection};
use crate::opening::Opener;
use crate::patience::Patience;
use crate::pool::Pool;
use crate::query::RunQueryDsl;

/// Added to `statement_timeout` for the answer to arrive. A PostgreSQL that is silent for longer never answers, even
/// though its machine still acknowledges packets.
const ANSWER_GRACE: Duration = Duration::from_secs(5);
/// Asks if the server takes writes, and if a session of this role waits for a synchronous standby. Nothing ends such a
/// wait, not even the end of its client, so each is seen until the standby is back.
const STATE_OF_WRITES: &str = "select current_setting('transaction_read_only')::boolean as is_read_only, \
    exists(select from pg_stat_activity where usename = current_user and wait_event = 'SyncRep' \
        and query_start < clock_timestamp() - interval '2 seconds') as waits_for_standby";

/// The pool of connections to PostgreSQL. Cheap to clone.
#[derive(Clone)]
pub struct Database {
    pool: Pool,
    patience: Patience,
    /// Bounds each statement on the client's side.
    answer_timeout: Duration,
}

impl Database {
    /// A pool that connects on first use.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the URL or its certificates can't be used.
    pub fn open(config: &DatabaseConfig) -> Result<Self> {
        Ok(Self {
            pool: Pool::new(config.max_connections, Opener::new(config)?),
            patience: Patience::new(config.max_connections),
            answer_timeout: Duration::from_secs(config.statement_secs) + ANSWER_GRACE,
        })
    }

    /// The places of transactions that wait for locks.
    pub fn patience(&self) -> &Patience {
        &self.patience
    }

    /// A connection on which each statement commits alone.
    ///
    /// # Errors
    /// `UNAVAILABLE` if none is free in time.
    pub async fn connect(&self) -> Result<Connection> {
        Ok(Connection::new(self.pool.get().await?, None, self.answer_timeout))
    }

    /// A connection whose first statement begins a transaction.
    ///
    /// # Errors
    /// As [`Database::connect`].
    pub async fn begin(&self, begin: Begin) -> Result<Connection> {
        Ok(Connection::new(self.pool.get().await?, Some(begin), self.answer_timeout))
    }

    /// Checks that PostgreSQL takes writes.
    ///
    /// # Errors
    /// `UNAVAILABLE` if it does not, with the reason as its cause.
    pub async fn check_writes(&self) -> Result<()> {
        let connection = self.connect().await?;
        let state: StateOfWrites = sql_query(STATE_OF_WRITES).get_result(&connection).await?;
        if state.is_read_only {
            // Another server may take writes.
            connection.close();
            return Err(Error::unavailable("PostgreSQL is read-only"));
        }
        if state.waits_for_standby {
            return Err(Error::unavailable(
                "PostgreSQL waits for its synchronous standby to confirm commits",
            ));
        }
        Ok(())
    }
}

#[derive(QueryableByName)]
struct StateOfWrites {
    #[diesel(sql_type = Bool)]
    is_read_only: bool,
    #[diesel(sql_type = Bool)]
    waits_for_standby: bool,
}
