//! Many operations on cards in one request.

use domain::error::Refusal;
use domain::id::{CardId, HistoryId, ObjectId, TagId, UserId};
use domain::key::CardName;
use domain::planning::card::{CreateCardRequest, UpdateCardRequest};
use domain::planning::history::Sequence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::planning::boards::TeamPlacementRequest;
use crate::planning::cards::HistoryHeadRequest;
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Applies up to 500 operations on cards in one transaction. A card can be created and placed on a board by one
    /// operation. With `atomic`, one failure undoes all of them and is the answer: `CARD_HISTORY_CONFLICT`,
    /// `ASSIGNEE_NOT_MEMBER`, `WIP_LIMIT_REACHED`, `POSITION_CONFLICT`, `SPRINT_NOT_ACTIVE` or `FORBIDDEN`.
    ChangeCards = Post "/api/v2/projects/{projectId}/cards/bulk" {
        summary: "Create, change and delete many cards",
        path: ProjectPath,
        body: Json<ChangeCardsRequest>,
        answer: ChangeCardsResponse,
        effect: Creates,
        tool: Toolbox("cards"),
        also: deletes(),
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
        card: CreateCardRequest,
        /// Its place on a board. The card is not created where it can't be placed.
        #[serde(skip_serializing_if = "Option::is_none")]
        placement: Option<TeamPlacementRequest>,
    },
    /// Places a card on a team's board, or moves it there.
    #[schemars(extend("additionalProperties" = false))]
    Place {
        /// The card.
        card_id: CardName,
        /// Its new place.
        placement: TeamPlacementRequest,
    },
    /// Changes, closes or reopens a card.
    #[schemars(extend("additionalProperties" = false))]
    Update {
        /// The card.
        card_id: CardName,
        /// Its changes.
        #[serde(flatten)]
        changes: UpdateCardRequest,
    },
    /// Deletes a card.
    #[schemars(extend("additionalProperties" = false))]
    Delete {
        /// The card.
        card_id: CardName,
        /// Its expected history head.
        #[serde(flatten)]
        expectation: HistoryHeadRequest,
    },
    /// Assigns a card to a user.
    #[schemars(extend("additionalProperties" = false))]
    Assign {
        /// The card.
        card_id: CardName,
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
        card_id: CardName,
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
        card_id: CardName,
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
        card_id: CardName,
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
        card_id: CardName,
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
        card_id: CardName,
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
