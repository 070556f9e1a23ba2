//! The files of attachments, to and from the data plane.

use domain::content::project::ProjectRef;
use domain::id::{AttachmentId, CardId, HistoryId};
use domain::planning::attachment::CardAttachment;
use domain::planning::history::{HistoryHead, Sequence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::previews::{CONDITIONS, ThumbnailSize};
use crate::content::uploads::{OF_FILE, READ_CONDITIONS};
use crate::operation::Raw;
use crate::{operations, tags};

operations! {
    tag: tags::ATTACHMENTS;

    /// Stores a file of up to 2 GiB and attaches it to a card. It joins no tree and is not converted. Send it as for
    /// `uploadFile`; other forms are `INVALID_UPLOAD`. Take the grant that `createAttachmentGrant` of the control plane
    /// issues, or that of a session. A card has at most 100 attachments, and an owner a limited number of bytes:
    /// `LIMIT_REACHED`. The event `card.updated` follows.
    AttachFile = Post "/api/v1/projects/{projectId}/cards/{cardId}/attachments" {
        summary: "Attach a file to a card",
        path: AttachPath,
        body: Raw,
        answer: AttachmentResponse,
        effect: Creates,
    }

    /// Answers the bytes of an attachment. Ranges and conditions are honoured; a range beyond the end is
    /// `RANGE_NOT_SATISFIABLE`.
    DownloadAttachment = Get "/api/v1/projects/{projectId}/cards/{cardId}/attachments/{attachmentId}" {
        summary: "Download an attachment",
        path: AttachedFilePath,
        answer: Raw,
        effect: Reads,
        also: reads(&READ_CONDITIONS), answers(&OF_FILE),
    }

    /// Answers a picture of an attachment as PNG: of an image, the first page of a PDF, the first lines of a text, or a
    /// file of triangles. While it is being drawn it is `UNAVAILABLE` with `Retry-After`; without anything to see it is
    /// `NOT_FOUND`.
    ReadAttachmentThumbnail = Get "/api/v1/projects/{projectId}/cards/{cardId}/attachments/{attachmentId}/thumbnail" {
        summary: "Read a picture of an attachment",
        path: AttachedFilePath,
        query: ReadAttachmentThumbnailQuery,
        answer: Raw,
        effect: Reads,
        also: reads(&CONDITIONS),
    }
}

/// The size of the picture.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadAttachmentThumbnailQuery {
    /// Width and height in pixels: 256 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<ThumbnailSize>,
}

/// An attachment with its card's history head.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentResponse {
    /// The attachment.
    pub attachment: CardAttachment,
    /// The card's latest history row.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
}

impl AttachmentResponse {
    /// The attachment of a card whose head this is.
    pub fn new(attachment: CardAttachment, head: HistoryHead) -> Self {
        Self { attachment, history_head_id: head.id, history_head_sequence: head.sequence }
    }
}

/// The path's parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachPath {
    /// The project of the grant.
    pub project_id: ProjectRef,
    /// The card, by its id.
    pub card_id: CardId,
}

/// The path's parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachedFilePath {
    /// The project of the grant.
    pub project_id: ProjectRef,
    /// The card, by its id.
    pub card_id: CardId,
    /// The attachment.
    pub attachment_id: AttachmentId,
}
