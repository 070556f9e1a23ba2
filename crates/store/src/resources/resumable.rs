//! Uploads in pieces as records: how much of each is durable, who writes it, and what became of it.
//!
//! One request writes at a time: it holds a lease, which it renews, and every change of the record names the holder.
//! So neither a second request nor one that was believed dead can move the offset. Not here: the bytes (`dataplane`).

pub mod abandoned;

use auth::actor::{ProjectRead, ProjectWrite};
use diesel::sql_types::{BigInt, Bool, Integer, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::error::Refusal;
use domain::id::{ObjectId, SessionId, UploadId};
use domain::session::ConnectionId;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::resumable_upload::StartedUpload;
pub use crate::access::rows::resumable_upload::UploadRecord;
use crate::access::rows::resumable_upload::UploadRow;
use crate::access::session::Session;
use crate::db::prelude::*;
use crate::db::schema::resumable_uploads;
use crate::resources::store::Tx;

/// How long a writer that no longer renews its lease keeps others out, in seconds.
pub const LEASE_SECS: i32 = 6;

/// An upload that is to be begun.
#[derive(Clone, Debug)]
pub struct NewUpload {
    /// The connection that the path names.
    pub connection: ConnectionId,
    /// The object that it goes under.
    pub parent: ObjectId,
    /// What the file is called.
    pub name: Name,
    /// What the client says of the file, as it was sent.
    pub metadata: String,
    /// Size of the whole file, in bytes.
    pub length_bytes: u64,
    /// What it takes to begin.
    pub checkpoint: Value,
    /// When it is given up, unless more arrives.
    pub expires_at: Timestamp,
}

/// Where a writer has got to.
#[derive(Clone, Debug)]
pub struct UploadCheckpoint {
    /// Bytes that are durable.
    pub offset_bytes: u64,
    /// What it takes to go on behind these.
    pub checkpoint: Value,
    /// When the upload is given up, unless more arrives.
    pub expires_at: Timestamp,
}

/// Begins an upload.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn create(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    session: SessionId,
    new: &NewUpload,
) -> Result<UploadId> {
    let id = UploadId::new(call.now);
    diesel::insert_into(resumable_uploads::table)
        .values((
            resumable_uploads::id.eq(id.0),
            resumable_uploads::project_id.eq(project.record.id.0),
            resumable_uploads::session_id.eq(session.0),
            resumable_uploads::user_id.eq(project.user.0),
            resumable_uploads::connection_id.eq(new.connection.as_str()),
            resumable_uploads::parent_id.eq(new.parent.0),
            resumable_uploads::name.eq(new.name.as_str()),
            resumable_uploads::metadata.eq(&new.metadata),
            resumable_uploads::length_bytes.eq(bytes(new.length_bytes)?),
            resumable_uploads::offset_bytes.eq(0),
            resumable_uploads::checkpoint.eq(&new.checkpoint),
            resumable_uploads::created_at.eq(call.now.0),
            resumable_uploads::expires_at.eq(new.expires_at.0),
        ))
        .execute(tx)
        .await?;
    Ok(id)
}

/// A session's uploads that have not expired, newest first, from before `before`.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    session: &Session<ProjectRead>,
    before: Option<UploadId>,
    rows: u32,
) -> Result<Vec<UploadRecord>> {
    let rows: Vec<UploadRow> = Statement::new(include_str!("resumable/list.sql"))
        .bind::<SqlUuid, _>(session.record.id.0)
        .bind::<Nullable<SqlUuid>, _>(before.map(|upload| upload.0))
        .bind::<BigInt, _>(i64::from(rows))
        .load(tx)
        .await?;
    rows.into_iter().map(UploadRow::record).collect()
}

/// Makes `writer` the one that writes, behind `offset_bytes`. Where another does, that one learns that it is in the
/// way, and this returns false.
///
/// # Errors
/// `UPLOAD_OFFSET_MISMATCH` where the upload is at another offset.
pub async fn claim(
    tx: &mut Tx,
    upload: &StartedUpload<ProjectWrite>,
    writer: Uuid,
    offset_bytes: u64,
) -> Result<bool> {
    let at = upload.record.offset_bytes;
    if at != offset_bytes {
        return Err(Error::new(
            Code::UploadOffsetMismatch,
            format!("The upload is at {at} bytes, not at {offset_bytes}."),
        )
        .with_details(json!({ "offset": at })));
    }
    let claimed = Statement::new(include_str!("resumable/claim.sql"))
        .bind::<SqlUuid, _>(upload.record.id.0)
        .bind::<SqlUuid, _>(writer)
        .bind::<Integer, _>(LEASE_SECS)
        .bind::<BigInt, _>(bytes(offset_bytes)?)
        .execute(tx)
        .await?;
    if claimed == 1 {
        return Ok(true);
    }
    Statement::new(include_str!("resumable/contend.sql"))
        .bind::<SqlUuid, _>(upload.record.id.0)
        .execute(tx)
        .await?;
    Ok(false)
}

/// Says that `writer` still writes; returns whether another has lately wanted to.
///
/// # Errors
/// `UPLOAD_IN_PROGRESS` where another writes by now.
pub async fn renew(tx: &mut Tx, upload: &StartedUpload<ProjectWrite>, writer: Uuid) -> Result<bool> {
    let rows: Vec<ContendedRow> = Statement::new(include_str!("resumable/renew.sql"))
        .bind::<SqlUuid, _>(upload.record.id.0)
        .bind::<SqlUuid, _>(writer)
        .bind::<Integer, _>(LEASE_SECS)
        .load(tx)
        .await?;
    rows.into_iter().next().map(|row| row.is_contended).ok_or_else(in_progress)
}

/// Moves the offset to where `writer` has got, which goes on.
///
/// # Errors
/// `UPLOAD_IN_PROGRESS` where another writes by now.
pub async fn advance(
    tx: &mut Tx,
    upload: &StartedUpload<ProjectWrite>,
    writer: Uuid,
    reached: &UploadCheckpoint,
) -> Result<()> {
    let advanced = Statement::new(include_str!("resumable/advance.sql"))
        .bind::<SqlUuid, _>(upload.record.id.0)
        .bind::<SqlUuid, _>(writer)
        .bind::<BigInt, _>(bytes(reached.offset_bytes)?)
        .bind::<Jsonb, _>(&reached.checkpoint)
        .bind::<Timestamptz, _>(reached.expires_at.0)
        .bind::<Integer, _>(LEASE_SECS)
        .execute(tx)
        .await?;
    if advanced == 1 { Ok(()) } else { Err(in_progress()) }
}

/// Ends the lease of `writer`, where it still has it; with `failure`, the upload can never be attached.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn release(
    tx: &mut Tx,
    upload: &StartedUpload<ProjectWrite>,
    writer: Uuid,
    refusal: Option<&Refusal>,
) -> Result<()> {
    let refusal = refusal.map(serde_json::to_value).transpose().map_err(Error::internal)?;
    Statement::new(include_str!("resumable/release.sql"))
        .bind::<SqlUuid, _>(upload.record.id.0)
        .bind::<SqlUuid, _>(writer)
        .bind::<Nullable<Jsonb>, _>(refusal)
        .execute(tx)
        .await?;
    Ok(())
}

/// Forgets an upload that nobody writes. What it created, if it was attached, stays.
///
/// # Errors
/// `UPLOAD_IN_PROGRESS` where somebody writes.
pub async fn delete(tx: &mut Tx, upload: &StartedUpload<ProjectWrite>) -> Result<()> {
    let deleted = Statement::new(include_str!("resumable/delete.sql"))
        .bind::<SqlUuid, _>(upload.record.id.0)
        .execute(tx)
        .await?;
    if deleted == 1 { Ok(()) } else { Err(in_progress()) }
}

/// The failure of a request that would write an upload while another does.
pub fn in_progress() -> Error {
    let mut error = Error::new(
        Code::UploadInProgress,
        "Another request is writing this upload. Ask for its offset again.",
    );
    error.retry_after_secs = Some(1);
    error
}

fn bytes(count: u64) -> Result<i64> {
    i64::try_from(count).map_err(Error::internal)
}

#[derive(QueryableByName)]
struct ContendedRow {
    #[diesel(sql_type = Bool)]
    is_contended: bool,
}
