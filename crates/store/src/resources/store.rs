//! The store and its transactions: reads, changes, and reads without a transaction.

pub mod audit_journal;
pub(crate) mod card_batch;
pub(crate) mod snapshots;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use auth::actor::Requirement;
use auth::sealing::SealingKey;
use database::Database;
use database::config::DatabaseConfig;
use database::connection::{Begin, Connection};
use database::error::waited_for_lock;
use database::transaction::retry;
use domain::{Code, Result};
use futures_util::future::join;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::access::Target;
use crate::access::call::Call;
use crate::resources::outbox::{self, NewChangeEvent};
use crate::resources::store::audit_journal::AuditJournal;
use crate::resources::store::card_batch::CardBatcher;
use crate::resources::store::snapshots::SnapshotCache;

/// Pauses before each attempt to find out the outcome of a lost COMMIT, in milliseconds.
const LOOKUP_PAUSES_MILLIS: [u64; 6] = [50, 100, 200, 400, 800, 1_600];

/// The database with what is kept in memory beside it. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    database: Database,
    /// One connection beside the others, for checks that requests must not delay.
    checks: Database,
    pub(crate) snapshots: SnapshotCache,
    pub(crate) journal: AuditJournal,
    pub(crate) card_batcher: Arc<CardBatcher>,
    /// Wakes after commits that wrote change events.
    pub(crate) changes_written: watch::Sender<()>,
    /// Seals what the database must not show; `None` if the deployment has no key for that.
    pub(crate) sealing: Option<Arc<SealingKey>>,
    /// The host in the addresses that stand for users in commits.
    pub(crate) commit_host: Arc<str>,
}

/// A connection with the caches and keys that work on it needs. It is in a transaction, except in work without one. On drop
/// it rolls back.
pub struct Tx {
    connection: Connection,
    /// The change events to write with COMMIT.
    published: Vec<NewChangeEvent>,
    /// True if the outcome of the same work is unknown: records under its keys are then its own.
    pub(crate) is_lookup: bool,
    pub(crate) snapshots: SnapshotCache,
    /// Seals what the database must not show; `None` if the deployment has no key for that.
    pub(crate) sealing: Option<Arc<SealingKey>>,
    /// The host in the addresses that stand for users in commits.
    pub(crate) commit_host: Arc<str>,
}

impl Store {
    /// A store on the database that `config` names. Connects on first use.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the URL or its certificates can't be used.
    pub fn open(config: &DatabaseConfig) -> Result<Self> {
        Ok(Self {
            database: Database::open(config)?,
            checks: Database::open(&DatabaseConfig { max_connections: 1, ..config.clone() })?,
            snapshots: SnapshotCache::new(),
            journal: AuditJournal::default(),
            card_batcher: card_batch::batcher(),
            changes_written: watch::Sender::new(()),
            sealing: None,
            commit_host: "localhost".into(),
        })
    }

    /// The store of a deployment with this host, which the addresses in commits name; `localhost` without it.
    #[must_use]
    pub fn of_host(self, host: &str) -> Self {
        Self { commit_host: host.into(), ..self }
    }

    /// The store with a key, which seals what the database must not show.
    #[must_use]
    pub fn sealing_with(self, key: SealingKey) -> Self {
        Self { sealing: Some(Arc::new(key)), ..self }
    }

    /// Brings the schema up to this binary's version; returns the versions that were applied. Needs a multi-threaded
    /// runtime.
    ///
    /// # Errors
    /// `UNAVAILABLE`; `INTERNAL_ERROR` if a migration fails and is rolled back.
    pub async fn migrate(&self) -> Result<Vec<String>> {
        self.database.migrate().await
    }

    /// Reverts every migration, and with it every row.
    ///
    /// # Errors
    /// As [`Store::migrate`].
    pub async fn revert_migrations(&self) -> Result<Vec<String>> {
        self.database.revert_migrations().await
    }

    /// Checks that the database takes writes, and that the schema has everything that this binary needs. It may have more:
    /// an older binary keeps running on the next one's schema. Takes a connection of its own, so that it doesn't wait
    /// behind requests.
    ///
    /// # Errors
    /// `UNAVAILABLE` if it takes none, or lacks a migration.
    pub async fn check_schema(&self) -> Result<()> {
        self.checks.check_writes().await?;
        self.checks.check_schema().await
    }

    /// The witness of `target`, without a transaction: for reads that need nothing else of the database.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
    pub async fn find<P, T>(&self, call: &Call<P>, target: &T) -> Result<T::Witness>
    where
        P: Requirement,
        T: Target<P>,
    {
        target.resolve(&self.connection().await?, call).await
    }

    /// Runs `work` on one consistent view of the database, with the witness of `target`.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`, and those of `work`.
    pub async fn read<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<R>
    where
        P: Requirement,
        T: Target<P>,
    {
        let mut tx = self.tx(self.database.begin(Begin::READ).await?);
        let done = async {
            let witness = target.resolve(&tx, call).await?;
            work(&mut tx, &witness).await
        };
        let done = done.await;
        tx.end_read();
        done
    }

    /// As [`Store::read`] without a transaction, which saves two round trips: for a single statement, or if statements
    /// need not share one view. Each statement keeps one plan for all values; where the best plan depends on the value,
    /// [`Store::read`] is faster.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub async fn read_without_tx<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        work: impl AsyncFnOnce(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<R>
    where
        P: Requirement,
        T: Target<P>,
    {
        let mut tx = self.without_tx().await?;
        let witness = target.resolve(&tx, call).await?;
        work(&mut tx, &witness).await
    }

    /// Runs `work` with the witness of `target`, and commits it.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`, and those of `work`; nothing is applied then.
    pub async fn mutate<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<R>
    where
        P: Requirement,
        T: Target<P>,
    {
        self.transaction(async |tx| {
            let witness = target.resolve(tx, call).await?;
            work(tx, &witness).await
        })
        .await
    }

    /// Runs `work` and commits it; again if it lost a conflict, or had no turn to wait for a lock.
    pub(crate) async fn transaction<R>(&self, work: impl AsyncFn(&mut Tx) -> Result<R>) -> Result<R> {
        let patience = self.database.patience();
        let mut turn = patience.first_turn();
        loop {
            let attempt = async || {
                let mut tx = self.tx(self.database.begin(turn.begin()).await?);
                let done = work(&mut tx).await;
                let done = tx.finish(done).await;
                if done.is_ok() && !tx.published.is_empty() {
                    self.changes_written.send_replace(());
                }
                done
            };
            match retry(attempt).await {
                Err(error) if !turn.may_wait() && waited_for_lock(&error) => turn = patience.turn().await?,
                done => return done,
            }
        }
    }

    /// Runs `work` as [`Store::transaction`], at most once for the idempotency keys that it claims. If the answer of COMMIT is
    /// lost, it runs again, and finds the keys' records, or else does the work.
    ///
    /// # Errors
    /// Those of `work`; `UNAVAILABLE` with an unknown outcome if the database is not back in time.
    pub(crate) async fn keyed_transaction<R>(&self, work: impl AsyncFn(&mut Tx) -> Result<R>) -> Result<R> {
        let mut pauses = LOOKUP_PAUSES_MILLIS.into_iter();
        let mut unknown = None;
        loop {
            let is_lookup = unknown.is_some();
            let attempt = async |tx: &mut Tx| {
                tx.is_lookup = is_lookup;
                work(tx).await
            };
            let error = match self.transaction(attempt).await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let may_pass = match is_lookup {
                false => error.is_outcome_unknown(),
                // The lost transaction may still hold its keys.
                true => matches!(error.code, Code::Unavailable | Code::IdempotencyInProgress),
            };
            let first = unknown.unwrap_or(error);
            let Some(pause) = pauses.next().filter(|_| may_pass) else { return Err(first) };
            unknown = Some(first);
            sleep(Duration::from_millis(pause)).await;
        }
    }

    /// A connection on which each statement commits alone.
    pub(crate) async fn connection(&self) -> Result<Connection> {
        self.database.connect().await
    }

    /// As [`Store::connection`], for work that takes a [`Tx`].
    pub(crate) async fn without_tx(&self) -> Result<Tx> {
        Ok(self.tx(self.connection().await?))
    }

    fn tx(&self, connection: Connection) -> Tx {
        let (snapshots, sealing) = (self.snapshots.clone(), self.sealing.clone());
        let commit_host = Arc::clone(&self.commit_host);
        Tx { connection, published: Vec::new(), is_lookup: false, snapshots, sealing, commit_host }
    }
}

impl Tx {
    /// Adds a change event, to be written with COMMIT.
    pub(crate) fn publish(&mut self, event: NewChangeEvent) {
        self.published.push(event);
    }

    /// The number of change events so far.
    pub(crate) fn published(&self) -> usize {
        self.published.len()
    }

    /// Drops the change events after the first `count`, whose changes were rolled back to a savepoint.
    pub(crate) fn unpublish(&mut self, count: usize) {
        self.published.truncate(count);
    }

    /// Runs the transaction's last statements and commits, as [`Connection::commit_with`], with its change events.
    ///
    /// # Errors
    /// Those of `last` and of COMMIT.
    pub(crate) async fn commit_with<R>(&self, last: impl Future<Output = Result<R>>) -> Result<R> {
        if self.published.is_empty() {
            return self.connection.commit_with(last).await;
        }
        let writes = async {
            let (done, appended) = join(last, outbox::append(&self.connection, &self.published)).await;
            // A failure of the first statement aborts the transaction, and so the second statement.
            done.and_then(|done| appended.map(|()| done))
        };
        self.connection.commit_with(writes).await
    }

    /// Ends the transaction as `done` demands: commits a success with its change events, rolls back a failure.
    async fn finish<R>(&self, done: Result<R>) -> Result<R> {
        let done = match done {
            Ok(done) if !self.published.is_empty() && self.connection.is_open() => {
                self.commit_with(async { Ok(done) }).await
            }
            done => done,
        };
        self.connection.finish(done).await
    }
}

impl Deref for Tx {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}
