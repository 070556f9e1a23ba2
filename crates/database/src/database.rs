//! The database: the pool of connections, and the bound on the time that a statement may take.

use std::time::Duration;

use domain::Result;

use crate::config::{Address, DatabaseConfig};
use crate::connection::{Begin, Connection};
use crate::patience::Patience;
use crate::pool::Pools;

/// Added to `statement_timeout` for the answer to arrive. A PostgreSQL that is silent for longer never answers, even
/// though its machine still acknowledges packets.
const ANSWER_GRACE: Duration = Duration::from_secs(5);

/// The pool of connections to PostgreSQL. Cheap to clone.
#[derive(Clone)]
pub struct Database {
    pools: Pools,
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
            pools: Pools::new(config.max_connections, Address::parse(config)?),
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
        Ok(Connection::new(self.pools.get().await?, None, self.answer_timeout))
    }

    /// A connection whose first statement begins a transaction.
    ///
    /// # Errors
    /// As [`Database::connect`].
    pub async fn begin(&self, begin: Begin) -> Result<Connection> {
        Ok(Connection::new(self.pools.get().await?, Some(begin), self.answer_timeout))
    }
}
