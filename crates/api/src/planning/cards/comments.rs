//! Comments on cards.

use domain::content::project::ProjectRef;
use domain::id::{CommentId, HistoryId};
use domain::key::CardName;
use domain::page::PageMeta;
use domain::planning::card::{Comment, CommentBody};
use domain::planning::history::Sequence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::page::PageQuery;
use crate::planning::cards::{CardPath, EndResponse, HistoryHeadRequest};
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists a card's comments, oldest first.
    ListComments = Get "/api/v2/projects/{projectId}/cards/{cardId}/comments" {
        summary: "List a card's comments",
        path: CardPath,
        query: PageQuery,
        answer: ListCommentsResponse,
        effect: Reads,
        tool: Toolbox("cards"),
        also: everyday(),
    }

    /// Writes a comment, as Markdown, and a row of the card's history. Two expected heads that differ are
    /// `HISTORY_HEAD_MISMATCH`.
    CreateComment = Post "/api/v2/projects/{projectId}/cards/{cardId}/comments" {
        summary: "Comment on a card",
        path: CardPath,
        body: Json<CreateCommentRequest>,
        answer: CommentResponse,
        effect: Creates,
        tool: Toolbox("cards"),
        also: everyday(), conditional(),
    }

    /// Changes the text of the caller's own comment. A change of the comment since the expected head is
    /// `CARD_HISTORY_CONFLICT`; two heads that differ are `HISTORY_HEAD_MISMATCH`.
    UpdateComment = Patch "/api/v2/projects/{projectId}/cards/{cardId}/comments/{commentId}" {
        summary: "Change a comment",
        path: CommentPath,
        body: Json<UpdateCommentRequest>,
        answer: CommentResponse,
        effect: Changes,
        tool: Toolbox("cards"),
        also: conditional(),
    }

    /// Deletes a comment: its author may, and callers who may delete cards. A change of it since the expected head is
    /// `CARD_HISTORY_CONFLICT`; two heads that differ are `HISTORY_HEAD_MISMATCH`.
    DeleteComment = Delete "/api/v2/projects/{projectId}/cards/{cardId}/comments/{commentId}" {
        summary: "Delete a comment",
        path: CommentPath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: EndResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }
}

/// A comment with its card's history head.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommentResponse {
    /// The comment.
    pub comment: Comment,
    /// The card's latest history row.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
}

/// A comment to write.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateCommentRequest {
    /// Text, as Markdown.
    pub body: CommentBody,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// A page of comments, oldest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListCommentsResponse {
    /// The comments.
    pub comments: Vec<Comment>,
    /// The page.
    pub meta: PageMeta,
}

/// The new text.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateCommentRequest {
    /// Text, as Markdown.
    pub body: CommentBody,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// The path of an operation on one comment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommentPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The card, by its id or key.
    pub card_id: CardName,
    /// The comment.
    pub comment_id: CommentId,
}
