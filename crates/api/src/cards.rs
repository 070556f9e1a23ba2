//! Cards with their comments and relations.

use domain::card::{
    AssigneeFilter, CardOrder, CardRecord, Comment, CommentBody, CreateCard, IndexCard, ShownCard, TagIds,
    UpdateCard,
};
use domain::error::Refusal;
use domain::history::{HistoryHead, Sequence};
use domain::id::{CardId, HistoryId, ObjectId, SprintId, TagId, TeamId, UserId};
use domain::page::{LimitText, PageMeta};
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::boards::TeamPlacementRequest;

/// The optional body of a mutation without other input.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryHeadRequest {
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// A card with its history head.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardResponse {
    /// The card.
    pub card: CardRecord,
    /// The card's latest history row.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
    /// The card with its tags, assignees and boards, as lists show it.
    pub index_card: IndexCard,
}

impl From<ShownCard> for CardResponse {
    fn from(shown: ShownCard) -> Self {
        let head = shown.head();
        Self {
            card: shown.card().clone(),
            history_head_id: head.id,
            history_head_sequence: head.sequence,
            index_card: shown.index_card(),
        }
    }
}

/// An ended relation of a card, with the card's new history head.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndResponse {
    /// Always true.
    pub deleted: bool,
    /// The card.
    pub card_id: CardId,
    /// The removed assignee, tag, object or comment.
    pub id: Uuid,
    /// The card's latest history row.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
}

impl EndResponse {
    /// The end of a relation of the card to `id`.
    pub fn new(card_id: CardId, id: Uuid, head: HistoryHead) -> Self {
        Self { deleted: true, card_id, id, history_head_id: head.id, history_head_sequence: head.sequence }
    }
}

/// Operations on cards, applied in their order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ChangeCardsRequest")]
pub struct ChangeCardsRequest<O = CardOperation> {
    /// Let one failure roll back all operations. By default, each one succeeds or fails alone.
    #[serde(default)]
    pub atomic: bool,
    /// The operations: `op`, with the fields of the single operation's path and body.
    #[schemars(with = "Vec<CardOperation>", length(min = 1, max = 500))]
    pub operations: Vec<O>,
}

/// One operation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CardOperation {
    /// Creates a card.
    #[schemars(extend("additionalProperties" = false))]
    Create {
        /// The card.
        #[serde(flatten)]
        card: CreateCard,
        /// Its place on a board. The card is not created where it can't be placed.
        #[serde(skip_serializing_if = "Option::is_none")]
        placement: Option<TeamPlacementRequest>,
    },
    /// Places a card on a team's board, or moves it there.
    #[schemars(extend("additionalProperties" = false))]
    Place {
        /// The card.
        card_id: CardId,
        /// Its new place.
        placement: TeamPlacementRequest,
    },
    /// Changes, closes or reopens a card.
    #[schemars(extend("additionalProperties" = false))]
    Update {
        /// The card.
        card_id: CardId,
        /// Its changes.
        #[serde(flatten)]
        changes: UpdateCard,
    },
    /// Deletes a card.
    #[schemars(extend("additionalProperties" = false))]
    Delete {
        /// The card.
        card_id: CardId,
        /// Its expected history head.
        #[serde(flatten)]
        expectation: HistoryHeadRequest,
    },
    /// Assigns a card to a user.
    #[schemars(extend("additionalProperties" = false))]
    Assign {
        /// The card.
        card_id: CardId,
        /// The user.
        user_id: UserId,
        /// Its expected history head.
        #[serde(flatten)]
        expectation: HistoryHeadRequest,
    },
    /// Ends an assignment.
    #[schemars(extend("additionalProperties" = false))]
    Unassign {
        /// The card.
        card_id: CardId,
        /// The user.
        user_id: UserId,
        /// Its expected history head.
        #[serde(flatten)]
        expectation: HistoryHeadRequest,
    },
    /// Puts a tag on a card.
    #[schemars(extend("additionalProperties" = false))]
    Tag {
        /// The card.
        card_id: CardId,
        /// The tag.
        tag_id: TagId,
        /// Its expected history head.
        #[serde(flatten)]
        expectation: HistoryHeadRequest,
    },
    /// Removes a tag from a card.
    #[schemars(extend("additionalProperties" = false))]
    Untag {
        /// The card.
        card_id: CardId,
        /// The tag.
        tag_id: TagId,
        /// Its expected history head.
        #[serde(flatten)]
        expectation: HistoryHeadRequest,
    },
    /// Links a card to an object of the project's tree.
    #[schemars(extend("additionalProperties" = false))]
    Link {
        /// The card.
        card_id: CardId,
        /// The object.
        object_id: ObjectId,
        /// Its expected history head.
        #[serde(flatten)]
        expectation: HistoryHeadRequest,
    },
    /// Ends a card's link to an object.
    #[schemars(extend("additionalProperties" = false))]
    Unlink {
        /// The card.
        card_id: CardId,
        /// The object.
        object_id: ObjectId,
        /// Its expected history head.
        #[serde(flatten)]
        expectation: HistoryHeadRequest,
    },
}

/// The results of the operations.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeCardsResponse {
    /// One result for each operation, in the same order.
    pub results: Vec<CardOperationResult>,
    /// Number of applied operations.
    pub applied: usize,
}

/// The result of one operation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardOperationResult {
    /// The HTTP status of the single operation: 201, 200, or that of its failure.
    pub status: u16,
    /// The created, changed or deleted card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<CardId>,
    /// The card's latest history row after this operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_head_id: Option<HistoryId>,
    /// The sequence of that row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_head_sequence: Option<Sequence>,
    /// Present and true if the card was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<bool>,
    /// The failure of this operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
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

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteCardResponse {
    /// Always true.
    pub deleted: bool,
    /// The card.
    pub card_id: CardId,
    /// The card's last history row, which records the deletion.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
}

/// A card with its history head and its linked objects.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetCardResponse {
    /// The card.
    pub card: CardRecord,
    /// The card's latest history row, which is also the `ETag`.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
    /// The card with its tags, assignees and boards, as lists show it.
    pub index_card: IndexCard,
    /// The objects to which the card is linked.
    pub object_ids: Vec<ObjectId>,
}

/// The filter and the order of cards.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListCardsQuery {
    /// Only open cards, or only closed ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<bool>,
    /// Only cards with this tag, or with all of these, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<TagIds>,
    /// Only cards assigned to this user; `me` for the caller's, `none` for cards without an assignee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<AssigneeFilter>,
    /// Only cards whose name, description or resolution contains this text, regardless of case.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only cards that changed at this time or later; a day begins in UTC. Changes may be committed out of order, so
    /// clients that keep a copy read the project's history instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_since: Option<DateOrTime>,
    /// Only cards that this user created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<UserId>,
    /// Only cards with a deadline at this time or later; a day begins in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_after: Option<DateOrTime>,
    /// Only cards with a deadline before this time; a day begins in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_before: Option<DateOrTime>,
    /// Only cards on this team's board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// Only cards in this sprint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprint: Option<SprintId>,
    /// The order. Defaults to `newest` in one project, and to `updated` over all projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<CardOrder>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListCardsResponse {
    /// The cards.
    pub cards: Vec<CardRecord>,
    /// The cards with their tags, assignees and boards, in the same order.
    pub index_cards: Vec<IndexCard>,
    /// The page.
    pub meta: PageMeta,
}
