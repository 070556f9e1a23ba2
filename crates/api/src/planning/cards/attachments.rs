//! Attachments of cards.

use domain::content::project::ProjectRef;
use domain::id::AttachmentId;
use domain::key::CardName;
use domain::planning::attachment::CardAttachment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::planning::cards::{CardPath, EndResponse, HistoryHeadRequest};
use crate::work::sessions::DataPlane;
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists a card's files, oldest first.
    ListAttachments = Get "/api/v2/projects/{projectId}/cards/{cardId}/attachments" {
        summary: "List a card's attachments",
        path: CardPath,
        answer: ListAttachmentsResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }

    /// Removes a file from a card. A changed head is `CARD_HISTORY_CONFLICT`; two heads that differ are
    /// `HISTORY_HEAD_MISMATCH`.
    DeleteAttachment = Delete "/api/v2/projects/{projectId}/cards/{cardId}/attachments/{attachmentId}" {
        summary: "Remove an attachment",
        path: AttachmentPath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: EndResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }

    /// Issues a grant that reads the attachments of the project's cards, and attaches files where the caller may.
    CreateAttachmentGrant = Post "/api/v2/projects/{projectId}/attachment-grants" {
        summary: "Issue a grant for attachments",
        path: ProjectPath,
        answer: CreateAttachmentGrantResponse,
        effect: Idempotent,
        tool: NotATool("a credential is not for an agent's conversation"),
        also: secret(),
    }
}

/// The attachments of a card.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListAttachmentsResponse {
    /// The attachments.
    pub attachments: Vec<CardAttachment>,
}

/// The access to attachments.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateAttachmentGrantResponse {
    /// A URI template (RFC 6570) with `{cardId}`.
    pub upload_url: String,
    /// A URI template with `{cardId}`, for uploads in pieces.
    pub resumable_url: String,
    /// A URI template with `{cardId}` and `{attachmentId}`.
    pub download_url: String,
    /// A URI template with `{cardId}` and `{attachmentId}`.
    pub thumbnail_url: String,
    /// The access.
    pub data_plane: DataPlane,
}

/// The path of an attachment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The card, by its id or key.
    pub card_id: CardName,
    /// The attachment.
    pub attachment_id: AttachmentId,
}
