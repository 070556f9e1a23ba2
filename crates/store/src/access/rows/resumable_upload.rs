//! An upload in pieces.

use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::upload::{ObjectMap, ResumableUpload, UploadStatus};
use domain::error::Refusal;
use domain::id::{CardId, ObjectId, SessionId, UploadId};
use domain::planning::attachment::{AttachmentUpload, CardAttachment};
use domain::planning::history::HistoryHead;
use domain::text::Name;
use domain::time::Timestamp;
use domain::work::session::ConnectionId;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

/// The place to which the file of an upload in pieces is attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UploadDestination {
    /// The tree of a session's branch.
    Tree {
        /// The session that the upload belongs to.
        session: SessionId,
        /// The connection in the path of its creation.
        connection: ConnectionId,
        /// The future parent of the object that it creates, or the object whose file it replaces.
        parent: ObjectId,
    },
    /// A card.
    Card(CardId),
}

/// The attachment that an upload became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadedAttachment {
    /// The attachment.
    pub attachment: CardAttachment,
    /// The card's head after it.
    pub head: HistoryHead,
}

/// An upload in pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct UploadRecord {
    /// Id of this upload, also after it is attached.
    pub id: UploadId,
    /// The place to which it is attached.
    pub destination: UploadDestination,
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
    /// The objects that it created, once it is attached to a tree.
    pub map: Option<ObjectMap>,
    /// The attachment that it became, once it is attached to a card.
    pub attached: Option<UploadedAttachment>,
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
    #[diesel(sql_type = Nullable<SqlUuid>)]
    session_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    connection_id: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    parent_id: Option<Uuid>,
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
    #[diesel(sql_type = Nullable<SqlUuid>)]
    card_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    attachment: Option<Value>,
}

impl UploadRecord {
    /// An upload to a tree as the API shows it.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` for an upload to a card.
    pub fn of_tree(&self) -> Result<ResumableUpload> {
        let UploadDestination::Tree { session, parent, .. } = &self.destination else {
            return Err(Error::internal("an upload to a card is shown as one to a tree"));
        };
        Ok(ResumableUpload {
            id: self.id,
            session_id: *session,
            parent_id: *parent,
            name: self.name.clone(),
            status: self.status(),
            is_partial: self.is_partial,
            size_bytes: self.length_bytes,
            received_bytes: self.offset_bytes,
            failure: self.failure.clone(),
            created_at: self.created_at,
            expires_at: self.expires_at,
        })
    }

    /// An upload to a card as the API shows it.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` for an upload to a tree.
    pub fn of_card(&self) -> Result<AttachmentUpload> {
        let UploadDestination::Card(card) = self.destination else {
            return Err(Error::internal("an upload to a tree is shown as one to a card"));
        };
        Ok(AttachmentUpload {
            id: self.id,
            card_id: card,
            name: self.name.clone(),
            status: self.status(),
            is_partial: self.is_partial,
            size_bytes: self.length_bytes,
            received_bytes: self.offset_bytes,
            failure: self.failure.clone(),
            created_at: self.created_at,
            expires_at: self.expires_at,
        })
    }

    /// True once its file is attached.
    pub fn is_attached(&self) -> bool {
        self.map.is_some() || self.attached.is_some()
    }

    /// Progress of the upload.
    pub fn status(&self) -> UploadStatus {
        match &self.failure {
            _ if self.is_attached() => UploadStatus::Done,
            Some(_) => UploadStatus::Failed,
            None if self.is_complete => UploadStatus::Converting,
            None => UploadStatus::Receiving,
        }
    }
}

impl UploadRow {
    pub(crate) fn record(self) -> Result<UploadRecord> {
        Ok(UploadRecord {
            id: UploadId(self.id),
            destination: destination((self.session_id, self.connection_id, self.parent_id), self.card_id)?,
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
            attached: self.attachment.map(serde_json::from_value).transpose().map_err(Error::internal)?,
            created_at: Timestamp::from(self.created_at),
            expires_at: Timestamp::from(self.expires_at),
        })
    }
}

/// The destination by the columns of a tree and of a card.
fn destination(
    tree: (Option<Uuid>, Option<String>, Option<Uuid>),
    card: Option<Uuid>,
) -> Result<UploadDestination> {
    match (tree, card) {
        ((Some(session), Some(connection), Some(parent)), None) => Ok(UploadDestination::Tree {
            session: SessionId(session),
            connection: decode::parse(&connection)?,
            parent: ObjectId(parent),
        }),
        (_, Some(card)) => Ok(UploadDestination::Card(CardId(card))),
        _ => Err(Error::internal("an upload in pieces has no destination")),
    }
}
