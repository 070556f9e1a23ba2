//! The audit log: who changed or tried what, with which result. Ids alone, no content.
//!
//! A sensitive change writes its entry in its own transaction ([`record`]). All other changes, and all refusals, go
//! through the [`journal`](journal), which writes many at once after their answers.

mod writing;

use auth::actor::Requirement;
use database::prelude::*;
use database::schema::audit_log;
use diesel::sql_types::{Array, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::OrganizationId;
use domain::people::audit::{AuditRecord, OK};
use domain::time::Timestamp;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::resources::store::{Store, Tx};

/// Records a change of `target` by an operator, or by the service itself.
pub(crate) async fn record_own(tx: &mut Tx, now: Timestamp, action: &str, target: Uuid) -> Result<()> {
    diesel::insert_into(audit_log::table)
        .values((
            audit_log::occurred_at.eq(now.0),
            audit_log::action.eq(action),
            audit_log::target_id.eq(target),
        ))
        .execute(tx)
        .await?;
    Ok(())
}

/// Records that a call changes `target`, in the call's transaction.
pub(crate) async fn record<P: Requirement>(tx: &mut Tx, call: &Call<P>, target: Uuid) -> Result<()> {
    let Some(trail) = &call.trail else { return Ok(()) };
    let mut record = trail.record(&call.actor, call.now, None);
    record.named.last = Some(target);
    insert(tx, &[(record, 1)]).await?;
    trail.set_written();
    Ok(())
}

/// As [`record`], for a call whose path doesn't name the organization.
pub(crate) async fn record_in<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    organization: OrganizationId,
    target: Uuid,
) -> Result<()> {
    let Some(trail) = &call.trail else { return Ok(()) };
    let mut record = trail.record(&call.actor, call.now, None);
    (record.named.organization, record.named.last) = (Some(organization), Some(target));
    insert(tx, &[(record, 1)]).await?;
    trail.set_written();
    Ok(())
}

/// Writes records, each with its number of attempts, in one statement.
async fn insert(connection: &Connection, records: &[(AuditRecord, u32)]) -> Result<()> {
    fn column<T>(records: &[(AuditRecord, u32)], value: impl Fn(&AuditRecord) -> T) -> Vec<T> {
        records.iter().map(|(record, _)| value(record)).collect()
    }
    let codes: Result<Vec<String>> = records.iter().map(|(record, _)| result_of(record)).collect();
    let attempts: Vec<i32> =
        records.iter().map(|(_, attempts)| i32::try_from(*attempts).unwrap_or(i32::MAX)).collect();
    Statement::new(include_str!("audit/insert.sql"))
        .bind::<Array<Timestamptz>, _>(column(records, |record| record.occurred_at.0))
        .bind::<Array<SqlUuid>, _>(column(records, |record| record.user.0))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(records, |record| record.key.map(|key| key.0)))
        .bind::<Array<Text>, _>(column(records, |record| record.operation))
        .bind::<Array<Text>, _>(codes?)
        .bind::<Array<Text>, _>(column(records, |record| record.request_id.clone()))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(records, |record| record.named.project.map(|id| id.0)))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(records, |record| {
            record.named.organization.map(|id| id.0)
        }))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(records, |record| record.named.last))
        .bind::<Array<Integer>, _>(attempts)
        .execute(connection)
        .await?;
    Ok(())
}

/// The text of a record's result.
fn result_of(record: &AuditRecord) -> Result<String> {
    match record.refusal {
        None => Ok(OK.to_owned()),
        Some(code) => match serde_json::to_value(code).map_err(Error::internal)? {
            serde_json::Value::String(code) => Ok(code),
            _ => Err(Error::internal("a code is not text")),
        },
    }
}

impl Store {
    /// Deletes entries from before `time`; returns their number. The database keeps those of the last 30 days.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn delete_audit_entries_before(&self, time: Timestamp) -> Result<usize> {
        let old = diesel::delete(audit_log::table.filter(audit_log::occurred_at.lt(time.0)));
        Ok(old.execute(&self.connection().await?).await?)
    }
}
