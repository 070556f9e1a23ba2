//! An upload in pieces.

use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::upload::{ObjectMap, UploadStatus};
use domain::error::Refusal;
use domain::id::{ObjectId, SessionId, UploadId};
use domain::text::Name;
use domain::time::Timestamp;
use domain::work::session::ConnectionId;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

/// An upload in pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct UploadRecord {
    /// Id of this upload, also after it is attached.
    pub id: UploadId,
    /// The session that the upload belongs to.
    pub session: SessionId,
    /// The connection in the path of its creation.
    pub connection: ConnectionId,
    /// The future parent of the object that it creates.
    pub parent: ObjectId,
    /// The file's name.
    pub name: Name,
    /// The client's description of the file, as it was sent.
    pub metadata: String,
    /// Size of the whole file, in bytes; `None` until the client knows it.
    pub length_bytes: Option<u64>,
    /// Bytes of it that are durable.
    pub offset_bytes: u64,
    /// True if it becomes a part of another upload.
    pub is_partial: bool,
    /// The uploads whose bytes it joins; `None` if clients send its bytes.
    pub parts: Option<Vec<UploadId>>,
    /// True if the server has all bytes and attaches them.
    pub is_complete: bool,
    /// State of the writer after these bytes, to continue from.
    pub checkpoint: Value,
    /// Set while a request holds the lease.
    pub is_written: bool,
    /// The reason why it can never be attached.
    pub failure: Option<Refusal>,
    /// The objects that it created, once it is attached.
    pub map: Option<ObjectMap>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time at which it is given up if no more bytes arrive.
    pub expires_at: Timestamp,
}

/// An upload's columns with the objects that it created.
#[derive(QueryableByName)]
pub(crate) struct UploadRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    session_id: Uuid,
    #[diesel(sql_type = Text)]
    connection_id: String,
    #[diesel(sql_type = SqlUuid)]
    parent_id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    metadata: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    length_bytes: Option<i64>,
    #[diesel(sql_type = BigInt)]
    offset_bytes: i64,
    #[diesel(sql_type = Jsonb)]
    checkpoint: Value,
    #[diesel(sql_type = Bool)]
    is_partial: bool,
    #[diesel(sql_type = Nullable<Array<SqlUuid>>)]
    parts: Option<Vec<Uuid>>,
    #[diesel(sql_type = Bool)]
    is_complete: bool,
    #[diesel(sql_type = Bool)]
    is_written: bool,
    #[diesel(sql_type = Nullable<Jsonb>)]
    failure: Option<Value>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    expires_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Jsonb>)]
    objects: Option<Value>,
}

impl UploadRecord {
    /// The upload as the API shows it.
    pub fn view(&self) -> domain::content::upload::ResumableUpload {
        domain::content::upload::ResumableUpload {
            id: self.id,
            session_id: self.session,
            parent_id: self.parent,
            name: self.name.clone(),
            status: self.status(),
            is_partial: self.is_partial,
            size_bytes: self.length_bytes,
            received_bytes: self.offset_bytes,
            failure: self.failure.clone(),
            created_at: self.created_at,
            expires_at: self.expires_at,
        }
    }

    /// Progress of the upload.
    pub fn status(&self) -> UploadStatus {
        match (&self.failure, &self.map) {
            (_, Some(_)) => UploadStatus::Done,
            (Some(_), None) => UploadStatus::Failed,
            (None, None) if self.is_complete => UploadStatus::Converting,
            (None, None) => UploadStatus::Receiving,
        }
    }
}

impl UploadRow {
    pub(crate) fn record(self) -> Result<UploadRecord> {
        Ok(UploadRecord {
            id: UploadId(self.id),
            session: SessionId(self.session_id),
            connection: decode::parse(&self.connection_id)?,
            parent: ObjectId(self.parent_id),
            name: decode::name(&self.name)?,
            metadata: self.metadata,
            length_bytes: self.length_bytes.map(u64::try_from).transpose().map_err(Error::internal)?,
            offset_bytes: u64::try_from(self.offset_bytes).map_err(Error::internal)?,
            is_partial: self.is_partial,
            parts: self.parts.map(|parts| parts.into_iter().map(UploadId).collect()),
            is_complete: self.is_complete,
            checkpoint: self.checkpoint,
            is_written: self.is_written,
            failure: self.failure.map(serde_json::from_value).transpose().map_err(Error::internal)?,
            map: self.objects.map(serde_json::from_value).transpose().map_err(Error::internal)?,
            created_at: Timestamp::from(self.created_at),
            expires_at: Timestamp::from(self.expires_at),
        })
    }
}
