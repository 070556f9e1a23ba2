//! Records of uploads in pieces: offset, writer and outcome. The bytes are the data plane's.
//!
//! One request writes at a time. It holds a lease, which it renews, and every change of the record names the holder. So
//! neither a second request nor one whose lease has expired can move the offset.

pub mod abandoned;
pub mod card_uploads;
pub mod parts;

use auth::actor::ProjectRead;
use database::prelude::*;
use database::schema::resumable_uploads;
use diesel::sql_types::{BigInt, Bool, Integer, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::error::Refusal;
use domain::id::UploadId;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::resumable_upload::StartedUpload;
use crate::access::rows::resumable_upload::UploadRow;
pub use crate::access::rows::resumable_upload::{UploadDestination, UploadRecord, UploadedAttachment};
use crate::access::session::Session;
use crate::resources::store::Tx;

/// Time after which a lease that is not renewed expires, in seconds.
pub const LEASE_SECS: i32 = 6;

/// An upload to begin.
#[derive(Clone, Debug)]
pub struct NewUpload {
    /// The place to which it is attached.
    pub destination: UploadDestination,
    /// The file's name.
    pub name: Name,
    /// The client's description of the file, as it was sent.
    pub metadata: String,
    /// Size of the whole file in bytes, if the client knows it.
    pub length_bytes: Option<u64>,
    /// True if it becomes a part of another upload.
    pub is_partial: bool,
    /// The uploads whose bytes it joins.
    pub parts: Option<Vec<UploadId>>,
    /// The data plane's initial state.
    pub checkpoint: Value,
    /// Expiry, unless more bytes arrive.
    pub expires_at: Timestamp,
}

/// The durable state of an upload.
#[derive(Clone, Debug)]
pub struct UploadCheckpoint {
    /// Bytes that are durable.
    pub offset_bytes: u64,
    /// The data plane's state behind these bytes.
    pub checkpoint: Value,
    /// Expiry, unless more bytes arrive.
    pub expires_at: Timestamp,
}

/// Creates the record of an upload.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn create<P>(
    tx: &mut Tx,
    project: &Project<P>,
    call: &Call<P>,
    new: &NewUpload,
) -> Result<UploadId> {
    let id = UploadId::new(call.now);
    let (tree, card) = match &new.destination {
        UploadDestination::Tree { session, connection, parent } => {
            (Some((session.0, connection.as_str(), parent.0)), None)
        }
        UploadDestination::Card(card) => (None, Some(card.0)),
    };
    let parts: Option<Vec<Uuid>> = new.parts.as_ref().map(|parts| parts.iter().map(|part| part.0).collect());
    diesel::insert_into(resumable_uploads::table)
        .values((
            resumable_uploads::id.eq(id.0),
            resumable_uploads::project_id.eq(project.record.id.0),
            resumable_uploads::session_id.eq(tree.map(|(session, ..)| session)),
            resumable_uploads::user_id.eq(project.user.0),
            resumable_uploads::connection_id.eq(tree.map(|(_, connection, _)| connection)),
            resumable_uploads::parent_id.eq(tree.map(|(.., parent)| parent)),
            resumable_uploads::card_id.eq(card),
            resumable_uploads::name.eq(new.name.as_str()),
            resumable_uploads::metadata.eq(&new.metadata),
            resumable_uploads::length_bytes.eq(new.length_bytes.map(bytes).transpose()?),
            resumable_uploads::offset_bytes.eq(0),
            resumable_uploads::is_partial.eq(new.is_partial),
            resumable_uploads::parts.eq(parts),
            resumable_uploads::checkpoint.eq(&new.checkpoint),
            resumable_uploads::created_at.eq(call.now.0),
            resumable_uploads::expires_at.eq(new.expires_at.0),
        ))
        .execute(tx)
        .await?;
    Ok(id)
}

/// A session's uploads before `before` that have not expired, newest first.
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

/// Gives `writer` the lease to write behind `offset_bytes`. If another writer holds it, that one is asked to yield, and the
/// result is `false`.
///
/// # Errors
/// `UPLOAD_OFFSET_MISMATCH` if the upload is at another offset.
pub async fn claim<P>(
    tx: &mut Tx,
    upload: &StartedUpload<P>,
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
    Statement::new(include_str!("resumable/request_lease.sql"))
        .bind::<SqlUuid, _>(upload.record.id.0)
        .execute(tx)
        .await?;
    Ok(false)
}

/// Records the length of an upload whose client didn't know it before.
///
/// # Errors
/// `UPLOAD_IN_PROGRESS` if another writer holds the lease by now.
pub async fn set_length<P>(
    tx: &mut Tx,
    upload: &StartedUpload<P>,
    writer: Uuid,
    length_bytes: u64,
) -> Result<()> {
    let of_writer = resumable_uploads::table
        .find(upload.record.id.0)
        .filter(resumable_uploads::writer.eq(writer).and(resumable_uploads::length_bytes.is_null()));
    let set = diesel::update(of_writer)
        .set(resumable_uploads::length_bytes.eq(bytes(length_bytes)?))
        .execute(tx)
        .await?;
    if set == 1 { Ok(()) } else { Err(in_progress()) }
}

/// Renews the lease of `writer`; returns `true` if another writer has asked for it.
///
/// # Errors
/// `UPLOAD_IN_PROGRESS` if another writer holds it by now.
pub async fn renew<P>(tx: &mut Tx, upload: &StartedUpload<P>, writer: Uuid) -> Result<bool> {
    let rows: Vec<ContendedRow> = Statement::new(include_str!("resumable/renew.sql"))
        .bind::<SqlUuid, _>(upload.record.id.0)
        .bind::<SqlUuid, _>(writer)
        .bind::<Integer, _>(LEASE_SECS)
        .load(tx)
        .await?;
    rows.into_iter().next().map(|row| row.is_contended).ok_or_else(in_progress)
}

/// Records a checkpoint of `writer` and renews its lease.
///
/// # Errors
/// `UPLOAD_IN_PROGRESS` if another writer holds the lease by now.
pub async fn advance<P>(
    tx: &mut Tx,
    upload: &StartedUpload<P>,
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

/// Ends the lease of `writer`, if it still holds it. With `refusal`, the upload can never be attached.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn release<P>(
    tx: &mut Tx,
    upload: &StartedUpload<P>,
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

/// Deletes the record of an upload, and expires its parts. The objects or the attachment of an attached one stay.
///
/// # Errors
/// `UPLOAD_IN_PROGRESS` if a writer holds the lease.
pub async fn delete<P>(tx: &mut Tx, upload: &StartedUpload<P>) -> Result<()> {
    let deleted = Statement::new(include_str!("resumable/delete.sql"))
        .bind::<SqlUuid, _>(upload.record.id.0)
        .execute(tx)
        .await?;
    if deleted != 1 {
        return Err(in_progress());
    }
    parts::expire(tx, upload, 0).await
}

/// The refusal of a request while another one writes the upload.
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
