//! Limits on the number of what one owner has: open sessions, branches and API keys. They are the deployment's, and hold
//! exactly, also for requests at once.

use database::prelude::*;
use diesel::sql_types::Text;
use domain::{Error, Result};
use uuid::Uuid;

use crate::resources::store::Tx;

/// Distance from a limit at which one addition at a time is counted: more than an owner has requests at once.
const NEAR: u32 = 1_000;

/// Refuses one more where there are `limit` of a resource. The caller's locks keep others from adding one meanwhile.
///
/// # Errors
/// `LIMIT_REACHED`.
pub(crate) fn refuse_over(resource: &str, limit: u32, current: i64) -> Result<()> {
    let current = u64::try_from(current).map_err(Error::internal)?;
    if current < limit.into() { Ok(()) } else { Err(Error::limit_reached(resource, limit.into(), current)) }
}

/// As [`refuse_over`], where nothing else keeps others from adding one. Near the limit, additions to what the owner has of
/// the resource wait for the end of this transaction. Taken before other locks than those of idempotency keys.
///
/// # Errors
/// `LIMIT_REACHED`; `UNAVAILABLE`.
pub(crate) async fn count_and_refuse(
    tx: &mut Tx,
    (resource, owner): (&str, Uuid),
    limit: u32,
    count: impl AsyncFn(&mut Tx) -> Result<i64>,
) -> Result<()> {
    if limit > NEAR && count(tx).await? < i64::from(limit - NEAR) {
        return Ok(());
    }
    hold(tx, (resource, owner)).await?;
    refuse_over(resource, limit, count(tx).await?)
}

/// Makes additions to what an owner has of a resource wait for the end of this transaction.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn hold(tx: &mut Tx, (resource, owner): (&str, Uuid)) -> Result<()> {
    Statement::new("select pg_advisory_xact_lock(hashtext($1), hashtext($2))")
        .bind::<Text, _>(resource)
        .bind::<Text, _>(owner.to_string())
        .execute(tx)
        .await?;
    Ok(())
}
