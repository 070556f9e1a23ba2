//! The way in: resolve, authorise, run and commit in one transaction, in one place.

use auth::actor::Needs;
use deadpool::managed::Object;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use domain::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::access::{Target, Witness};
use crate::call::{Call, Outcome};
use crate::connect::{PooledConnection, Store};
use crate::content::SnapshotCache;
use crate::failure::{failure, should_retry};
use crate::idempotency;

/// How often a transaction runs that PostgreSQL picks as the victim of a deadlock.
const ATTEMPTS: u32 = 3;

const READ: &str = "begin isolation level repeatable read read only";
const WRITE: &str = "begin";

/// An open transaction. Dropped in mid-way (the client went away, the work failed to finish), it takes its
/// connection out of the pool and closes it, so that PostgreSQL rolls back at once.
pub struct Tx {
    connection: Option<PooledConnection>,
    pub(crate) snapshots: SnapshotCache,
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
        let mut tx = self.begin(READ).await?;
        let done = async {
            let witness = target.resolve(&mut tx, call).await?;
            work(&mut tx, &witness).await
        };
        let done = done.await;
        tx.finish(done).await
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
            let witness = target.resolve(tx, call).await?;
            work(tx, &witness).await
        })
        .await
    }

    /// Runs work that creates something and commits it, at most once for the call's idempotency key: the key's
    /// record is written in the same transaction, and a repeat returns the first result (contract, section 4).
    ///
    /// # Errors
    /// As [`Store::mutate`], and `IDEMPOTENCY_IN_PROGRESS`.
    pub async fn create<P, T, R>(
        &self,
        call: &Call<P>,
        target: &T,
        work: impl AsyncFn(&mut Tx, &T::Witness) -> Result<R>,
    ) -> Result<Outcome<R>>
    where
        P: Needs,
        T: Target<P>,
        R: Serialize + DeserializeOwned,
    {
        self.retrying(async |tx| {
            let witness = target.resolve(tx, call).await?;
            let Some(claim) = idempotency::Claim::of(call, witness.id()) else {
                return Ok(Outcome { value: work(tx, &witness).await?, replayed: false });
            };
            if let Some(value) = claim.take(tx).await? {
                return Ok(Outcome { value, replayed: true });
            }
            let value = work(tx, &witness).await?;
            claim.complete(tx, &value).await?;
            Ok(Outcome { value, replayed: false })
        })
        .await
    }

    /// Runs an operator's or the service's own work, which no user's access bounds, and commits it.
    pub(crate) async fn as_system<R>(&self, work: impl AsyncFn(&mut Tx) -> Result<R>) -> Result<R> {
        self.retrying(work).await
    }

    async fn retrying<R>(&self, work: impl AsyncFn(&mut Tx) -> Result<R>) -> Result<R> {
        let mut attempt = 1;
        loop {
            let mut tx = self.begin(WRITE).await?;
            let done = work(&mut tx).await;
            match tx.finish(done).await {
                Err(error) if attempt < ATTEMPTS && should_retry(&error) => attempt += 1,
                done => return done,
            }
        }
    }

    async fn begin(&self, statement: &str) -> Result<Tx> {
        let mut tx = Tx { connection: Some(self.connection().await?), snapshots: self.snapshots.clone() };
        tx.connection()?.batch_execute(statement).await.map_err(failure)?;
        Ok(tx)
    }
}

impl Tx {
    /// The transaction's connection, for this crate's statements alone.
    pub(crate) fn connection(&mut self) -> Result<&mut AsyncPgConnection> {
        self.connection.as_deref_mut().ok_or_else(|| Error::internal("the transaction has ended"))
    }

    /// Commits where the work succeeded, rolls back where it failed; only then may the connection be used again.
    async fn finish<R>(mut self, done: Result<R>) -> Result<R> {
        let end = if done.is_ok() { "commit" } else { "rollback" };
        match self.connection()?.batch_execute(end).await {
            Ok(()) => {
                drop(self.connection.take());
                done
            }
            // The guard closes the connection. A failed rollback changes nothing about the work's own failure.
            Err(error) => done.and(Err(failure(error))),
        }
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Object::take(connection));
        }
    }
}
