//! The one place that remembers the outcome of a creation under its idempotency key.

use auth::actor::{Actor, Needs};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use crate::call::Call;
use crate::connect::Store;
use crate::failure::{failure, is_lock_timeout};
use crate::schema::idempotency_records;
use crate::transaction::Tx;

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

impl Claim {
    /// The claim that `call` makes; `None` where the client sent no key. The scope is the API key, or the user
    /// for browser sessions; `parent` is the resource that the route creates under.
    pub(crate) fn of<P: Needs>(call: &Call<P>, parent: Uuid) -> Option<Self> {
        let idempotency = call.idempotency.as_ref()?;
        Some(Self {
            scope: scope(&call.actor),
            operation: format!("{} {parent}", idempotency.operation),
            key: idempotency.key.clone(),
            now: call.now,
            expires: (idempotency.operation != KEPT_FOR_GOOD).then(|| call.now.plus_seconds(KEPT_SECS)),
        })
    }

    /// Takes the key for this transaction; returns the outcome where an earlier one has it. While another
    /// transaction holds the key this waits for it, up to the connection's `lock_timeout`.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` where the other is not done in time.
    pub(crate) async fn take<T: DeserializeOwned>(&self, tx: &mut Tx) -> Result<Option<T>> {
        let row = (
            idempotency_records::scope_id.eq(self.scope),
            idempotency_records::operation.eq(&self.operation),
            idempotency_records::key.eq(&self.key),
            idempotency_records::created_at.eq(self.now.0),
            idempotency_records::expires_at.eq(self.expires.map(|time| time.0)),
        );
        let claimed = diesel::insert_into(idempotency_records::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(tx.connection()?)
            .await
            .map_err(|error| if is_lock_timeout(&error) { in_progress() } else { failure(error) })?;
        if claimed == 1 {
            return Ok(None);
        }
        let outcome: Option<Value> = idempotency_records::table
            .find((self.scope, &self.operation, &self.key))
            .select(idempotency_records::outcome)
            .first(tx.connection()?)
            .await
            .map_err(failure)?;
        let outcome =
            outcome.ok_or_else(|| Error::internal("a committed idempotency record has no outcome"))?;
        serde_json::from_value(outcome).map(Some).map_err(Error::internal)
    }

    /// Writes the outcome beside the work.
    pub(crate) async fn complete<T: Serialize>(&self, tx: &mut Tx, outcome: &T) -> Result<()> {
        let outcome = serde_json::to_value(outcome).map_err(Error::internal)?;
        let row = idempotency_records::table.find((self.scope, &self.operation, &self.key));
        let written = diesel::update(row)
            .set(idempotency_records::outcome.eq(outcome))
            .execute(tx.connection()?)
            .await
            .map_err(failure)?;
        if written == 1 { Ok(()) } else { Err(Error::internal("the idempotency record is gone")) }
    }
}

impl Store {
    /// Forgets the outcomes whose time is over; returns how many.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn forget_expired_outcomes(&self, now: Timestamp) -> Result<usize> {
        let mut connection = self.connection().await?;
        diesel::delete(idempotency_records::table.filter(idempotency_records::expires_at.lt(now.0)))
            .execute(&mut connection)
            .await
            .map_err(failure)
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
