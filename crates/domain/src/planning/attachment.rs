//! Attachments of cards: files that belong to a card, and not to the tree of its project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::object::{Extension, FileRef, Sha256Hash};
use crate::content::upload::UploadStatus;
use crate::error::Refusal;
use crate::id::{AttachmentId, CardId, UploadId, UserId};
use crate::text::Name;
use crate::time::Timestamp;

/// Most attachments of a card.
pub const CARD_MAX_ATTACHMENTS: u64 = 100;

/// Most unfinished uploads in pieces of a user to cards, of all projects.
pub const USER_MAX_ATTACHMENT_UPLOADS: u32 = 100;

/// A file that is attached to a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardAttachment {
    /// Id.
    pub id: AttachmentId,
    /// Name of the file.
    pub name: Name,
    /// Size in bytes.
    pub size: u64,
    /// Media type.
    pub mime_type: String,
    /// Hash of the bytes.
    pub sha256: Sha256Hash,
    /// The user.
    pub author_id: UserId,
    /// Its display name.
    pub author_display_name: String,
    /// Time.
    pub created_at: Timestamp,
}

impl CardAttachment {
    /// The file, as a download names it.
    pub fn file(&self) -> FileRef {
        FileRef {
            sha256: self.sha256,
            size: self.size,
            mime_type: self.mime_type.clone(),
            extension: Extension::of_file_name(self.name.as_str()),
            name: Some(self.name.clone()),
        }
    }
}

/// An upload in pieces to a card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentUpload {
    /// Id.
    pub id: UploadId,
    /// The card.
    pub card_id: CardId,
    /// Name of the file.
    pub name: Name,
    /// State. `converting` while it is attached.
    pub status: UploadStatus,
    /// True if it becomes a part of another upload. Its status stays `receiving`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
    /// Size of the whole file, in bytes; null until the client knows it.
    pub size_bytes: Option<u64>,
    /// Bytes received. They survive a broken connection.
    pub received_bytes: u64,
    /// The reason of a failed upload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Refusal>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time at which it is discarded, unless more bytes arrive.
    pub expires_at: Timestamp,
}
