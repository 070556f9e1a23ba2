//! Attachments in pieces, by the protocol of tus 1.0 or the IETF's draft. The headers are those of uploads to a tree.

use domain::content::project::ProjectRef;
use domain::id::{CardId, HistoryId, UploadId};
use domain::planning::attachment::{AttachmentUpload, CardAttachment};
use domain::planning::history::{HistoryHead, Sequence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::uploads::resumable::{
    CHECKSUM, COMPLETE, CONCAT, CRC64NVME, DEFER_LENGTH, EXPIRES, INTEROP_VERSION, LENGTH, LOCATION,
    METADATA, OFFSET, OPTIONS, OVERRIDE, TUS_RESUMABLE,
};
use crate::operation::Raw;
use crate::planning::cards::attached_files::AttachPath;
use crate::{operations, tags};

operations! {
    tag: tags::ATTACHMENTS;

    /// Answers the headers of `describeResumableUploads`. It needs no credential.
    DescribeAttachmentUploads = Options "/api/v1/projects/{projectId}/cards/{cardId}/attachment-uploads" {
        summary: "Read the options of attachments in pieces",
        path: AttachPath,
        answer: Raw,
        effect: Reads,
        also: answers(&OPTIONS),
    }

    /// Begins an attachment in pieces as `createResumableUpload` begins an upload, with a grant that `attachFile`
    /// takes. The name is `filename` in `Upload-Metadata`. A user has at most 100 unfinished ones: `LIMIT_REACHED`.
    /// Another version of tus is `PRECONDITION_FAILED`, a wrong checksum `CHECKSUM_MISMATCH`.
    CreateAttachmentUpload = Post "/api/v1/projects/{projectId}/cards/{cardId}/attachment-uploads" {
        summary: "Begin an attachment in pieces",
        path: AttachPath,
        body: Raw,
        answer: AttachmentUploadResponse,
        effect: Creates,
        also:
            reads(&[TUS_RESUMABLE, INTEROP_VERSION, COMPLETE, LENGTH, DEFER_LENGTH, METADATA, CONCAT, CHECKSUM]),
            answers(&[TUS_RESUMABLE, LOCATION, OFFSET, EXPIRES]),
    }

    /// Answers the headers of `describeResumableUploads`. It needs no credential.
    DescribeAttachmentUpload = Options "/api/v1/projects/{projectId}/cards/{cardId}/attachment-uploads/{uploadId}" {
        summary: "Read the options of an attachment in pieces",
        path: AttachmentUploadPath,
        answer: Raw,
        effect: Reads,
        also: answers(&OPTIONS),
    }

    /// Answers how many bytes have arrived, in `Upload-Offset`, and the attachment of a complete upload.
    GetAttachmentUpload = Get "/api/v1/projects/{projectId}/cards/{cardId}/attachment-uploads/{uploadId}" {
        summary: "Read the progress of an attachment in pieces",
        path: AttachmentUploadPath,
        answer: AttachmentUploadResponse,
        effect: Reads,
        also: answers(&[TUS_RESUMABLE, OFFSET, CRC64NVME, LENGTH, DEFER_LENGTH, METADATA, CONCAT, EXPIRES]),
    }

    /// Adds the next piece, and fails as `appendResumableUpload` does: `UPLOAD_OFFSET_MISMATCH`, `UPLOAD_IN_PROGRESS`,
    /// `CHECKSUM_MISMATCH`, `PRECONDITION_FAILED`. The last piece attaches the file, and the event `card.updated`
    /// follows. Without room it is `LIMIT_REACHED`, and the bytes stay until the upload expires.
    AppendAttachmentUpload = Patch "/api/v1/projects/{projectId}/cards/{cardId}/attachment-uploads/{uploadId}" {
        summary: "Send the next piece of an attachment",
        path: AttachmentUploadPath,
        body: Raw,
        answer: Raw,
        effect: Idempotent,
        also:
            reads(&[TUS_RESUMABLE, INTEROP_VERSION, COMPLETE, OFFSET, LENGTH, CHECKSUM]),
            answers(&[TUS_RESUMABLE, OFFSET, EXPIRES]),
    }

    /// Cancels an upload and discards its bytes; an attachment that it became stays. Codes: `PRECONDITION_FAILED`,
    /// `UPLOAD_IN_PROGRESS`.
    DeleteAttachmentUpload = Delete "/api/v1/projects/{projectId}/cards/{cardId}/attachment-uploads/{uploadId}" {
        summary: "Cancel an attachment in pieces",
        path: AttachmentUploadPath,
        answer: Raw,
        effect: Idempotent,
        also: reads(&[TUS_RESUMABLE, INTEROP_VERSION]), answers(&[TUS_RESUMABLE]),
    }

    /// Does what `PATCH` or `DELETE` would do, and fails as they do: `UPLOAD_OFFSET_MISMATCH`, `UPLOAD_IN_PROGRESS`,
    /// `CHECKSUM_MISMATCH`, `PRECONDITION_FAILED`.
    OverrideAttachmentUpload = Post "/api/v1/projects/{projectId}/cards/{cardId}/attachment-uploads/{uploadId}" {
        summary: "PATCH or DELETE of an attachment in pieces by `X-HTTP-Method-Override`",
        path: AttachmentUploadPath,
        body: Raw,
        answer: Raw,
        effect: Changes,
        also: reads(&[OVERRIDE, TUS_RESUMABLE, OFFSET, LENGTH, CHECKSUM]), answers(&[TUS_RESUMABLE, OFFSET, EXPIRES]),
    }
}

/// The state of an upload to a card, with the attachment that a complete one became.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentUploadResponse {
    /// The upload.
    pub upload: AttachmentUpload,
    /// The attachment of a finished upload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachment: Option<CardAttachment>,
    /// The card's history row of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_head_id: Option<HistoryId>,
    /// The sequence of that row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_head_sequence: Option<Sequence>,
}

impl AttachmentUploadResponse {
    /// An upload, with the attachment that it became and the head of its card after it.
    pub fn new(upload: AttachmentUpload, attached: Option<(CardAttachment, HistoryHead)>) -> Self {
        let (attachment, head) = attached.unzip();
        Self {
            upload,
            attachment,
            history_head_id: head.map(|head| head.id),
            history_head_sequence: head.map(|head| head.sequence),
        }
    }
}

/// The path of an upload to a card.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentUploadPath {
    /// The project of the grant.
    pub project_id: ProjectRef,
    /// The card, by its id.
    pub card_id: CardId,
    /// The upload.
    pub upload_id: UploadId,
}
