//! Idempotency keys: each creation happens once for its key, and a repeat gets its recorded outcome.
//!
//! All functions take a list of claims. Most calls come alone, as a list of one; cards are created in batches.

use std::collections::HashMap;

use auth::actor::{Actor, Requirement};
use database::prelude::*;
use database::schema::idempotency_records;
use diesel::sql_types::{Array, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::future::join;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use crate::access::call::{Call, Outcome};
use crate::resources::store::{Store, Tx};

/// Time for which an outcome is kept, in seconds: 30 days.
const RETENTION_SECS: i64 = 30 * 24 * 60 * 60;
/// The operation whose outcomes never expire (docs/api.md, section 4).
const PERMANENT_OPERATION: &str = "createProject";

const LOCK: &str = include_str!("idempotency/lock.sql");
const TRY_LOCK: &str = include_str!("idempotency/try_lock.sql");

/// The claim of a call to its idempotency key.
pub(crate) struct Claim {
    scope: Uuid,
    operation: String,
    key: String,
    now: Timestamp,
    expires: Option<Timestamp>,
}

/// Outcomes under their keys, which the transaction writes with its commit.
#[derive(Default)]
pub(crate) struct Records(Vec<(Claim, Value)>);

impl Claim {
    /// The claim of `call`, if it has a key. The key's scope is the API key, or the user of a browser session. `parent` is
    /// the resource that the route creates under. A tool of a session is another route than its operation.
    pub(crate) fn of<P: Requirement>(call: &Call<P>, parent: Uuid) -> Option<Self> {
        let idempotency = call.idempotency.as_ref()?;
        let route = format!("{} {parent}", idempotency.operation);
        Some(Self {
            scope: scope(&call.actor),
            operation: match &call.actor.acting_in {
                Some(acting) => format!("{route} by tools of {}", acting.session),
                None => route,
            },
            key: idempotency.key.clone(),
            now: call.now,
            expires: (idempotency.operation != PERMANENT_OPERATION)
                .then(|| call.now.plus_seconds(RETENTION_SECS)),
        })
    }

    /// Deletes the record of an earlier call. To be called when [`claim`] has returned one for this claim.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` if it is gone.
    pub(crate) async fn forget(&self, tx: &mut Tx) -> Result<()> {
        let record = idempotency_records::table.find((self.scope, &self.operation, &self.key));
        let deleted = diesel::delete(record).execute(tx).await?;
        if deleted == 1 { Ok(()) } else { Err(in_progress()) }
    }
}

/// Locks keys until the transaction ends. Returns for each call the recorded outcome under its key, which is a replay unless
/// the transaction looks up its own; `None` for a new key, and for a call without one.
///
/// A key is an advisory lock and not yet a row, so that its row is written once. One key that another transaction holds is
/// waited for, up to the connection's `lock_timeout`. With several keys there is no wait: it would delay all others. Two
/// keys with the same hash wait for each other, without further effect.
///
/// # Errors
/// `IDEMPOTENCY_IN_PROGRESS` if another transaction still holds a key.
pub(crate) async fn claim<T: DeserializeOwned>(
    tx: &Tx,
    claims: &[Option<Claim>],
) -> Result<Vec<Option<Outcome<T>>>> {
    let with_keys: Vec<&Claim> = claims.iter().flatten().collect();
    let mut outcomes = HashMap::new();
    if !with_keys.is_empty() {
        let lock = if with_keys.len() == 1 { LOCK } else { TRY_LOCK };
        let lock = bind_claims(lock, &with_keys).load(tx);
        // A separate statement: it sees outcomes that were committed during the wait for the locks.
        let find = bind_claims(include_str!("idempotency/find.sql"), &with_keys).load(tx);
        let (locked, found) = join(lock, find).await;
        let locked: Vec<LockedKey> = locked.map_err(|error| match error.is_lock_timeout() {
            true => in_progress().with_source(error.into_source()),
            false => error.into(),
        })?;
        if !locked.iter().all(|key| key.is_locked) {
            return Err(in_progress());
        }
        let found: Vec<RecordRow> = found?;
        outcomes.extend(found.into_iter().map(|RecordRow { key, outcome }| (key, outcome)));
    }
    let mut outcome = |claim: &Claim| {
        let value = outcomes.remove(&claim.key)?;
        Some(serde_json::from_value(value).map(|value| Outcome { value, replayed: !tx.is_lookup }))
    };
    let recorded = claims.iter().map(|claim| claim.as_ref().and_then(&mut outcome).transpose());
    recorded.collect::<Result<_, _>>().map_err(Error::internal)
}

impl Records {
    /// Adds the outcome of a call, if it has a key.
    pub(crate) fn add(&mut self, claim: Option<Claim>, outcome: &impl Serialize) -> Result<()> {
        if let Some(claim) = claim {
            self.0.push((claim, serde_json::to_value(outcome).map_err(Error::internal)?));
        }
        Ok(())
    }

    /// Commits the transaction, and writes the records with it. No statement may follow.
    ///
    /// # Errors
    /// As for [`Records::write`].
    pub(crate) async fn write_with_commit(self, tx: &Tx) -> Result<()> {
        match self.0.is_empty() {
            true => Ok(()),
            false => tx.commit_with(self.write(tx)).await,
        }
    }

    /// Writes the records in one statement.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` if another version of the service has written a record without this lock.
    async fn write(self, connection: &Connection) -> Result<()> {
        let (claims, outcomes): (Vec<Claim>, Vec<Value>) = self.0.into_iter().unzip();
        let expected = claims.len();
        let written = bind_claims(include_str!("idempotency/write.sql"), &claims.iter().collect::<Vec<_>>())
            .bind::<Array<Jsonb>, _>(outcomes)
            .bind::<Array<Timestamptz>, _>(claims.iter().map(|claim| claim.now.0).collect::<Vec<_>>())
            .bind::<Array<Nullable<Timestamptz>>, _>(
                claims.iter().map(|claim| claim.expires.map(|time| time.0)).collect::<Vec<_>>(),
            )
            .execute(connection)
            .await;
        match written {
            Ok(written) if written == expected => Ok(()),
            Ok(_) => Err(Error::internal("an idempotency record was not written")),
            Err(error) if error.violates_unique("idempotency_records_pkey") => Err(in_progress()),
            Err(error) => Err(error.into()),
        }
    }
}

/// A statement whose first parameters are the scopes, operations and keys of claims.
fn bind_claims<'a>(sql: &'static str, claims: &[&'a Claim]) -> Statement<'a> {
    Statement::new(sql)
        .bind::<Array<SqlUuid>, _>(claims.iter().map(|claim| claim.scope).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(claims.iter().map(|claim| claim.operation.as_str()).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(claims.iter().map(|claim| claim.key.as_str()).collect::<Vec<_>>())
}

#[derive(QueryableByName)]
struct LockedKey {
    #[diesel(sql_type = Bool)]
    is_locked: bool,
}

#[derive(QueryableByName)]
struct RecordRow {
    #[diesel(sql_type = Text)]
    key: String,
    #[diesel(sql_type = Jsonb)]
    outcome: Value,
}

impl Store {
    /// Deletes expired outcomes; returns their number.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn delete_expired_outcomes(&self, now: Timestamp) -> Result<usize> {
        let statement =
            diesel::delete(idempotency_records::table.filter(idempotency_records::expires_at.lt(now.0)));
        Ok(statement.execute(&self.connection().await?).await?)
    }
}

fn scope(actor: &Actor) -> Uuid {
    actor.key().map_or(actor.user.0, |key| key.0)
}

fn in_progress() -> Error {
    let mut error =
        Error::new(Code::IdempotencyInProgress, "A request with the same idempotency key is still running.");
    error.retry_after_secs = Some(1);
    error
}
