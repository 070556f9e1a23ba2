//! The one place that remembers the outcome of a creation under its idempotency key.

use std::collections::HashMap;

use auth::actor::{Actor, Needs};
use diesel::prelude::*;
use diesel::sql_types::{Array, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::future::join;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use crate::access::call::Call;
use crate::db::config::Store;
use crate::db::connection::Pipeline;
use crate::db::error::{failure, is_lock_timeout, violates};
use crate::db::schema::idempotency_records;
use crate::db::statement::Statement;
use crate::db::transaction::Tx;

/// How long an outcome is kept, in seconds: 30 days. That of a project's creation is kept for good.
const KEPT_SECS: i64 = 30 * 24 * 60 * 60;
/// The operation whose outcomes never expire (specification: "a duplicate project is not reclaimed").
const KEPT_FOR_GOOD: &str = "createProject";

const LOCK: &str = include_str!("idempotency/lock.sql");
const TRY_LOCK: &str = include_str!("idempotency/try_lock.sql");

/// The claim of one call to a key.
struct Claim {
    scope: Uuid,
    operation: String,
    key: String,
    now: Timestamp,
    expires: Option<Timestamp>,
}

/// The claims of calls to their keys, one for each that came with a key.
pub(crate) struct Claims(Vec<Option<Claim>>);

/// The outcomes of calls under their keys, to be written with the commit.
pub(crate) struct Records(Vec<(Claim, Value)>);

impl Claim {
    /// The scope is the API key, or the user for browser sessions; `parent` is the resource that the route creates under. A
    /// session's tools are another route than the operation that they use.
    fn of<P: Needs>(call: &Call<P>, parent: Uuid) -> Option<Self> {
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
}

impl Claims {
    /// The claims that `calls` make, each to another key.
    pub(crate) fn of<P: Needs>(calls: &[&Call<P>], parent: Uuid) -> Self {
        Self(calls.iter().map(|call| Claim::of(call, parent)).collect())
    }

    /// Takes the keys for this transaction; returns the outcome of each call whose key an earlier one had. While another
    /// transaction has the key a single call waits for it, up to the connection's `lock_timeout`; several don't.
    ///
    /// A key is a lock and not yet a row, so that the row is written once. Two keys that share a lock by chance wait
    /// for each other, and that is all.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` where the other is not done by then.
    pub(crate) async fn take<T: DeserializeOwned>(
        &self,
        mut connection: Pipeline<'_>,
    ) -> Result<Vec<Option<T>>> {
        let claims: Vec<&Claim> = self.0.iter().flatten().collect();
        let mut outcomes = HashMap::new();
        if !claims.is_empty() {
            // Who takes several waits for none: of these one would keep all others.
            let lock = if claims.len() == 1 { LOCK } else { TRY_LOCK };
            let lock = of_claims(lock, &claims).load(&mut connection);
            // A statement of its own: it must see what was committed while the locks were waited for.
            let find = of_claims(include_str!("idempotency/find.sql"), &claims).load(&mut connection);
            let (locked, found): (QueryResult<Vec<Locked>>, QueryResult<Vec<Found>>) = join(lock, find).await;
            let locked = locked
                .map_err(|error| if is_lock_timeout(&error) { in_progress() } else { failure(error) })?;
            if !locked.iter().all(|claim| claim.is_locked) {
                return Err(in_progress());
            }
            outcomes.extend(found.map_err(failure)?.into_iter().map(|Found { key, outcome }| (key, outcome)));
        }
        let mut outcome = |claim: &Claim| outcomes.remove(&claim.key).map(serde_json::from_value).transpose();
        let taken = self.0.iter().map(|claim| claim.as_ref().map_or(Ok(None), &mut outcome));
        taken.collect::<Result<_, _>>().map_err(Error::internal)
    }

    /// Forgets the outcome that an earlier call had, of which nothing is left. To be called where [`Claims::take`] has
    /// returned one for the call at `position`.
    pub(crate) async fn forget(&self, tx: &mut Tx, position: usize) -> Result<()> {
        let Some(Some(claim)) = self.0.get(position) else { return Ok(()) };
        let record = idempotency_records::table.find((claim.scope, &claim.operation, &claim.key));
        let forgotten = diesel::delete(record).execute(tx.connection()?).await.map_err(failure)?;
        if forgotten == 1 { Ok(()) } else { Err(in_progress()) }
    }

    /// What the transaction is to write beside its work, whose outcomes are `values`: of each call, or `None` where an
    /// earlier one had it.
    pub(crate) fn record<T: Serialize>(self, values: &[Option<&T>]) -> Result<Records> {
        let of_each = self.0.into_iter().zip(values);
        let written = of_each.filter_map(|(claim, value)| Some((claim?, (*value)?)));
        let written = written.map(|(claim, value)| Ok((claim, serde_json::to_value(value)?)));
        written.collect::<Result<_, serde_json::Error>>().map(Records).map_err(Error::internal)
    }
}

impl Records {
    /// Whether nothing is to be written.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes them. Of a version of the service that took keys by their row there may be a row meanwhile.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` then.
    pub(crate) async fn write(self, mut connection: Pipeline<'_>) -> Result<()> {
        let (claims, outcomes): (Vec<Claim>, Vec<Value>) = self.0.into_iter().unzip();
        let expected = claims.len();
        let written = of_claims(include_str!("idempotency/write.sql"), &claims.iter().collect::<Vec<_>>())
            .bind::<Array<Jsonb>, _>(outcomes)
            .bind::<Array<Timestamptz>, _>(claims.iter().map(|claim| claim.now.0).collect::<Vec<_>>())
            .bind::<Array<Nullable<Timestamptz>>, _>(
                claims.iter().map(|claim| claim.expires.map(|time| time.0)).collect::<Vec<_>>(),
            )
            .execute(&mut connection)
            .await;
        match written {
            Ok(written) if written == expected => Ok(()),
            Ok(_) => Err(Error::internal("an idempotency record was not written")),
            Err(error) if violates(&error, "idempotency_records_pkey") => Err(in_progress()),
            Err(error) => Err(failure(error)),
        }
    }
}

/// A statement on claims, whose scopes, operations and keys are its first parameters.
fn of_claims<'a>(sql: &'static str, claims: &[&'a Claim]) -> Statement<'a> {
    Statement::new(sql)
        .bind::<Array<SqlUuid>, _>(claims.iter().map(|claim| claim.scope).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(claims.iter().map(|claim| claim.operation.as_str()).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(claims.iter().map(|claim| claim.key.as_str()).collect::<Vec<_>>())
}

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    is_locked: bool,
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Text)]
    key: String,
    #[diesel(sql_type = Jsonb)]
    outcome: Value,
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
