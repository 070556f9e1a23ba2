//! The way in: resolve, authorise, run and commit in one transaction, in one place.

use std::sync::Arc;

use auth::actor::Needs;
use auth::sealing::SealingKey;
use diesel_async::RunQueryDsl;
use domain::{Error, Result};
use futures_util::future::join;

use crate::access::Target;
use crate::access::call::Call;
use crate::db::config::Store;
use crate::db::connection::{Connection, Pipeline};
use crate::db::error::{failure, is_lost, should_retry};
use crate::db::statement::Statement;
use crate::resources::content::SnapshotCache;
use crate::resources::idempotency::Records;

/// How often a transaction runs that PostgreSQL picks as the victim of a deadlock.
const ATTEMPTS: u32 = 3;

/// What only reads may seek among many rows by values of which the best plan depends.
const READ: &str = "begin isolation level repeatable read read only; set local plan_cache_mode = auto";
const WRITE: &str = "begin";

/// An open transaction. Dropped in mid-way (the client went away, the work failed to finish), it takes its
/// connection out of the pool and closes it, so that PostgreSQL rolls back at once.
pub struct Tx {
    connection: Option<Connection>,
    /// What is written with the commit.
    records: Option<Records>,
    pub(crate) snapshots: SnapshotCache,
    /// Seals what the database must not show; `None` where the deployment has no key for that.
    pub(crate) sealing: Option<Arc<SealingKey>>,
}

impl Store {
    /// Runs `work` on one consistent view of the database, with what `target` names.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`, and whatever `work` fails with.
    pub async fn read<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<R>
    where
        P: Needs,
        T: Target<P>,
    {
        let mut tx = self.begin(Some(READ)).await?;
        let done = async {
            let witness = tx.resolve(target, call).await?;
            work(&mut tx, &witness).await
        };
        let done = done.await;
        if !done.as_ref().is_err_and(is_lost) {
            tx.leave();
        }
        done
    }

    /// The same outside of any transaction, which would take two messages more: for one statement, or where it is no
    /// matter that each sees what is committed by its own time. And by one plan for each, whatever is sought: PostgreSQL makes
    /// it once for each connection, where it would otherwise plan each time what it takes to depend on the values: for a search for a
    /// rare term half of its work.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub async fn look_at<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        look: impl AsyncFnOnce(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<R>
    where
        P: Needs,
        T: Target<P>,
    {
        self.look(async |tx| {
            let witness = tx.resolve(target, call).await?;
            look(tx, &witness).await
        })
        .await
    }

    /// Runs what reads outside of any transaction: for one statement, or where it is no matter that each sees what is
    /// committed by its own time.
    pub(crate) async fn look<R>(&self, work: impl AsyncFnOnce(&mut Tx) -> Result<R>) -> Result<R> {
        let mut tx = self.begin(None).await?;
        let done = work(&mut tx).await;
        if !done.as_ref().is_err_and(is_lost) {
            tx.release();
        }
        done
    }

    /// Runs `work` and commits it, with what `target` names.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`, and whatever `work` fails with; nothing is applied then.
    pub async fn mutate<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<R>
    where
        P: Needs,
        T: Target<P>,
    {
        self.retrying(async |tx| {
            let witness = tx.resolve(target, call).await?;
            work(tx, &witness).await
        })
        .await
    }

    /// Runs an operator's or the service's own work, which no user's access bounds, and commits it.
    pub(crate) async fn as_system<R>(&self, work: impl AsyncFn(&mut Tx) -> Result<R>) -> Result<R> {
        self.retrying(work).await
    }

    /// Runs `work` and commits it; again where it lost to another.
    pub(crate) async fn retrying<R>(&self, work: impl AsyncFn(&mut Tx) -> Result<R>) -> Result<R> {
        let mut attempt = 1;
        loop {
            let mut tx = self.begin(Some(WRITE)).await?;
            let done = work(&mut tx).await;
            match tx.finish(done).await {
                Err(error) if attempt < ATTEMPTS && should_retry(&error) => attempt += 1,
                done => return done,
            }
        }
    }

    async fn begin(&self, statement: Option<&'static str>) -> Result<Tx> {
        let connection = Some(Connection::new(self.connection().await?, statement, self.patience));
        let (snapshots, sealing) = (self.snapshots.clone(), self.sealing.clone());
        Ok(Tx { connection, records: None, snapshots, sealing })
    }
}

impl Tx {
    /// The transaction's connection, for this crate's statements alone.
    pub(crate) fn connection(&mut self) -> Result<&mut Connection> {
        self.connection.as_mut().ok_or_else(|| Error::internal("the transaction has ended"))
    }

    /// What `target` names. What begins the transaction travels along, where that is still to be done.
    pub(crate) async fn resolve<P: Needs, T: Target<P>>(
        &mut self,
        target: &T,
        call: &Call<P>,
    ) -> Result<T::Witness> {
        self.pipelined(async |connection| target.resolve(connection, call).await).await
    }

    /// Runs `work`, whose first statements travel with what begins the transaction, where that is still to be done.
    pub(crate) async fn pipelined<R>(
        &mut self,
        work: impl AsyncFnOnce(Pipeline<'_>) -> Result<R>,
    ) -> Result<R> {
        self.connection()?.pipelined(work).await
    }

    /// Has `records` written with the commit.
    pub(crate) fn record(&mut self, records: Records) {
        self.records = Some(records);
    }

    /// The connection for statements that are sent together.
    pub(crate) async fn pipeline(&mut self) -> Result<Pipeline<'_>> {
        self.connection()?.pipeline().await.map_err(failure)
    }

    /// Runs `last`, whose statements travel with the commit, and ends the transaction. Where one of them fails, PostgreSQL takes
    /// the commit for a rollback.
    ///
    /// All of them must be prepared statements, and `commit` (a way of saying it) be used with these alone: what a connection
    /// has prepared overtakes what it has not. So they are prepared in the same order in which they run, by the one who uses
    /// a connection for them first; and a connection on which that failed is closed. What can fail without PostgreSQL has to be
    /// done before: the commit goes its way.
    ///
    /// # Errors
    /// Those of `last` and of the commit.
    pub(crate) async fn commit_with<R>(
        &mut self,
        commit: &'static str,
        last: impl AsyncFnOnce(Pipeline<'_>) -> Result<R>,
    ) -> Result<R> {
        if self.records.is_some() {
            return Err(Error::internal("a transaction ends without what is to be written with its commit"));
        }
        let mut pipeline = self.pipeline().await?;
        let commit = Statement::new(commit).execute(&mut pipeline);
        let (done, committed) = join(last(pipeline), commit).await;
        let ended = done.and_then(|done| committed.map(|_| done).map_err(failure));
        match &ended {
            Ok(_) => self.release(),
            Err(_) => self.close(),
        }
        ended
    }

    /// Commits where the work succeeded, rolls back where it failed; only then may the connection be used again.
    async fn finish<R>(mut self, done: Result<R>) -> Result<R> {
        // The work has ended it, with its last statements.
        if self.connection.is_none() {
            return done;
        }
        let ended = match &done {
            Ok(_) => self.commit().await,
            // There is nobody who could roll back, and waiting for that once more would double the time.
            Err(error) if is_lost(error) => return done,
            Err(_) => self.connection()?.end("rollback").await.map_err(failure),
        };
        match ended {
            Ok(()) => {
                self.release();
                done
            }
            // The guard closes the connection. A failed rollback changes nothing about the work's own failure.
            Err(error) => done.and(Err(error)),
        }
    }

    /// Ends what has only read, and gives the connection back.
    fn leave(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.leave();
        }
        self.release();
    }

    /// Gives the connection back, on which nothing is under way.
    fn release(&mut self) {
        drop(self.connection.take().map(Connection::into_pooled));
    }

    /// Closes the connection, whatever is under way on it.
    fn close(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(connection.into_pooled().take());
        }
    }

    async fn commit(&mut self) -> Result<()> {
        match self.records.take().filter(|records| !records.is_empty()) {
            Some(records) => self.commit_with("commit", async |pipeline| records.write(pipeline).await).await,
            None => self.connection()?.end("commit").await.map_err(failure),
        }
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        self.close();
    }
}
