//! Attachments of cards: files that belong to a card, and not to the tree of its project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::object::{Extension, FileRef, Sha256Hash};
use crate::id::{AttachmentId, UserId};
use crate::text::Name;
use crate::time::Timestamp;

/// Most attachments of a card.
pub const CARD_MAX_ATTACHMENTS: u64 = 100;

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
