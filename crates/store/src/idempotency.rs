//! The one place that remembers the outcome of a creation under its idempotency key.

use auth::actor::{Actor, Needs};
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::future::join;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use crate::call::Call;
use crate::connect::Store;
use crate::failure::{failure, is_lock_timeout, violates};
use crate::schema::idempotency_records;
use crate::statement::Statement;
use crate::transaction::Tx;
use crate::transaction::connection::Pipeline;

/// How long an outcome is kept, in seconds: 30 days. That of a project's creation is kept for good.
const KEPT_SECS: i64 = 30 * 24 * 60 * 60;
/// The operation whose outcomes never expire (specification: "a duplicate project is not reclaimed").
const KEPT_FOR_GOOD: &str = "createProject";

/// The claim of one call to a key.
pub(crate) struct Claim {
    scope: Uuid,
    operation: String,
    key: String,
    now: Timestamp,
    expires: Option<Timestamp>,
}

/// The outcome of a call under its key, to be written with the commit.
pub(crate) struct Record {
    claim: Claim,
    outcome: Value,
}

impl Claim {
    /// The claim that `call` makes; `None` where the client sent no key. The scope is the API key, or the user
    /// for browser sessions; `parent` is the resource that the route creates under. A session's tools are another route than
    /// the operation that they use.
    pub(crate) fn of<P: Needs>(call: &Call<P>, parent: Uuid) -> Option<Self> {
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
            expires: (idempotency.operation != KEPT_FOR_GOOD).then(|| call.now.plus_seconds(KEPT_SECS)),
        })
    }

    /// Takes the key for this transaction; returns the outcome where an earlier one had it. While another transaction
    /// has the key this waits for it, up to the connection's `lock_timeout`.
    ///
    /// The key is a lock and not yet a row, so that the row is written once. Two keys that share a lock by chance wait
    /// for each other, and that is all.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` where the other is not done in time.
    pub(crate) async fn take<T: DeserializeOwned>(&self, mut connection: Pipeline<'_>) -> Result<Option<T>> {
        let lock = Statement::new("select pg_advisory_xact_lock(hashtext($1 || $2), hashtext($3))")
            .bind::<Text, _>(self.scope.to_string())
            .bind::<Text, _>(&self.operation)
            .bind::<Text, _>(&self.key)
            .execute(&mut connection);
        // A statement of its own: it must see what was committed while the lock was waited for.
        let find = idempotency_records::table
            .find((self.scope, &self.operation, &self.key))
            .select(idempotency_records::outcome)
            .first(&mut connection);
        let (locked, found): (_, QueryResult<Option<Value>>) = join(lock, find).await;
        locked.map_err(|error| if is_lock_timeout(&error) { in_progress() } else { failure(error) })?;
        let Some(outcome) = found.optional().map_err(failure)? else {
            return Ok(None);
        };
        let outcome =
            outcome.ok_or_else(|| Error::internal("a committed idempotency record has no outcome"))?;
        serde_json::from_value(outcome).map(Some).map_err(Error::internal)
    }

    /// Forgets the outcome that an earlier call had, of which nothing is left. To be called where [`Claim::take`] has
    /// returned one.
    pub(crate) async fn forget(&self, tx: &mut Tx) -> Result<()> {
        let forgotten =
            diesel::delete(idempotency_records::table.find((self.scope, &self.operation, &self.key)))
                .execute(tx.connection()?)
                .await
                .map_err(failure)?;
        if forgotten == 1 { Ok(()) } else { Err(in_progress()) }
    }

    /// What the transaction is to write beside its work, whose outcome is `value`.
    pub(crate) fn record<T: Serialize>(self, value: &T) -> Result<Record> {
        Ok(Record { claim: self, outcome: serde_json::to_value(value).map_err(Error::internal)? })
    }
}

impl Record {
    /// Writes it. Of a version of the service that took keys by their row there may be a row meanwhile.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` then.
    pub(crate) async fn write(self, mut connection: Pipeline<'_>) -> Result<()> {
        let Self { claim, outcome } = self;
        let written = diesel::insert_into(idempotency_records::table)
            .values((
                idempotency_records::scope_id.eq(claim.scope),
                idempotency_records::operation.eq(&claim.operation),
                idempotency_records::key.eq(&claim.key),
                idempotency_records::outcome.eq(outcome),
                idempotency_records::created_at.eq(claim.now.0),
                idempotency_records::expires_at.eq(claim.expires.map(|time| time.0)),
            ))
            .execute(&mut connection)
            .await;
        match written {
            Ok(1) => Ok(()),
            Ok(_) => Err(Error::internal("the idempotency record was not written")),
            Err(error) if violates(&error, "idempotency_records_pkey") => Err(in_progress()),
            Err(error) => Err(failure(error)),
        }
    }
}

impl Store {
    /// Forgets the outcomes whose time is over; returns how many.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn forget_expired_outcomes(&self, now: Timestamp) -> Result<usize> {
        let statement =
            diesel::delete(idempotency_records::table.filter(idempotency_records::expires_at.lt(now.0)));
        self.single(async |connection| statement.execute(connection).await).await
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
