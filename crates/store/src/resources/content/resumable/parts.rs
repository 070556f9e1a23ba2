//! Uploads that join the bytes of partial ones.
//!
//! A part belongs to one upload at most, so that a repeat finds that upload. Parts of an attached upload expire soon.

use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, Uuid as SqlUuid};
use domain::error::Location;
use domain::id::UploadId;
use domain::{Error, Result, Rule};
use serde_json::Value;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::resumable_upload::StartedUpload;
use crate::access::rows::resumable_upload::UploadDestination;
use crate::resources::store::Tx;

/// Most parts of an upload.
pub const PARTS_MAX: usize = 256;

/// Time for which the parts of an attached upload are still known, in seconds: for clients that lost an answer.
pub const ATTACHED_PARTS_SECS: i32 = 600;

/// The state of the parts that a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinedParts {
    /// This upload joins them.
    Joined(UploadId),
    /// An upload may join them.
    Complete {
        /// Their size in bytes.
        length_bytes: u64,
    },
}

/// A part of an upload.
#[derive(Clone, Debug)]
pub struct UploadPart {
    /// The partial upload.
    pub id: UploadId,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// The data plane's state behind these bytes.
    pub checkpoint: Value,
}

/// Finds the upload that joins these partial ones in this order, or checks that one may. All were begun by the caller,
/// in the session or to the card of `destination`.
///
/// # Errors
/// `INVALID_REQUEST` if one isn't partial, isn't complete, or is a part of another upload.
pub async fn find<P>(
    tx: &mut Tx,
    project: &Project<P>,
    call: &Call<P>,
    destination: &UploadDestination,
    parts: &[UploadId],
) -> Result<JoinedParts> {
    let (session, card) = match destination {
        UploadDestination::Tree { session, .. } => (Some(session.0), None),
        UploadDestination::Card(card) => (None, Some(card.0)),
    };
    let ids: Vec<Uuid> = parts.iter().map(|part| part.0).collect();
    // The lock makes a concurrent repeat wait, and then find the upload.
    let found: Vec<PartialRow> = Statement::new(include_str!("lock_partial.sql"))
        .bind::<Array<SqlUuid>, _>(&ids)
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Nullable<SqlUuid>, _>(session)
        .bind::<SqlUuid, _>(call.actor.user.0)
        .bind::<Nullable<SqlUuid>, _>(card)
        .load(tx)
        .await?;
    let joined: Option<JoinedRow> = Statement::new(include_str!("find_joined.sql"))
        .bind::<Nullable<SqlUuid>, _>(session)
        .bind::<Array<SqlUuid>, _>(&ids)
        .bind::<Nullable<SqlUuid>, _>(card)
        .load(tx)
        .await?
        .pop();
    match joined {
        Some(JoinedRow { id, is_same: true }) => return Ok(JoinedParts::Joined(UploadId(id))),
        Some(_) => return Err(invalid(Rule::Unique, "names a part of another upload")),
        None => {}
    }
    let mut length_bytes = 0_u64;
    for id in ids {
        let part = found.iter().find(|part| part.id == id);
        let part =
            part.ok_or_else(|| invalid(Rule::Exists, "must name partial uploads to the same place"))?;
        if part.length_bytes != Some(part.offset_bytes) {
            return Err(invalid(Rule::State, "must name uploads of which all bytes have arrived"));
        }
        let size_bytes = u64::try_from(part.offset_bytes).map_err(Error::internal)?;
        length_bytes = length_bytes.saturating_add(size_bytes);
    }
    Ok(JoinedParts::Complete { length_bytes })
}

/// The parts of an upload, in their order; none for another upload.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list<P>(tx: &mut Tx, upload: &StartedUpload<P>) -> Result<Vec<UploadPart>> {
    let Some(parts) = &upload.record.parts else { return Ok(Vec::new()) };
    let ids: Vec<Uuid> = parts.iter().map(|part| part.0).collect();
    let rows: Vec<PartRow> =
        Statement::new(include_str!("list_parts.sql")).bind::<Array<SqlUuid>, _>(&ids).load(tx).await?;
    let part = |row: PartRow| {
        let size_bytes = u64::try_from(row.offset_bytes).map_err(Error::internal)?;
        Ok(UploadPart { id: UploadId(row.id), size_bytes, checkpoint: row.checkpoint })
    };
    rows.into_iter().map(part).collect()
}

/// Lets the parts of an upload expire after this time.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn expire<P>(tx: &mut Tx, upload: &StartedUpload<P>, after_secs: i32) -> Result<()> {
    let Some(parts) = &upload.record.parts else { return Ok(()) };
    let ids: Vec<Uuid> = parts.iter().map(|part| part.0).collect();
    Statement::new(include_str!("expire_parts.sql"))
        .bind::<Array<SqlUuid>, _>(&ids)
        .bind::<Integer, _>(after_secs)
        .execute(tx)
        .await?;
    Ok(())
}

fn invalid(rule: Rule, message: &str) -> Error {
    Error::invalid("Upload-Concat", rule, message).at(Location::Header)
}

#[derive(QueryableByName)]
struct PartialRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<BigInt>)]
    length_bytes: Option<i64>,
    #[diesel(sql_type = BigInt)]
    offset_bytes: i64,
}

#[derive(QueryableByName)]
struct JoinedRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Bool)]
    is_same: bool,
}

#[derive(QueryableByName)]
struct PartRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = BigInt)]
    offset_bytes: i64,
    #[diesel(sql_type = Jsonb)]
    checkpoint: Value,
}
