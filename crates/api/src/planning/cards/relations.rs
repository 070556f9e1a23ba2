//! Assignees, tags and linked objects of cards.

use domain::content::project::ProjectRef;
use domain::id::{ObjectId, TagId, UserId};
use domain::key::CardName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::planning::cards::{CardResponse, EndResponse, HistoryHeadRequest};
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Assigns a member of the project to a card. Others are `ASSIGNEE_NOT_MEMBER`. With an expected head, a change of
    /// this assignment since is `CARD_HISTORY_CONFLICT`; two heads that differ are `HISTORY_HEAD_MISMATCH`.
    AssignCard = Put "/api/v2/projects/{projectId}/cards/{cardId}/assignees/{userId}" {
        summary: "Assign a card to a user",
        path: AssigneePath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: CardResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: everyday(), conditional(),
    }

    /// Ends an assignment. With an expected head, a change of it since is `CARD_HISTORY_CONFLICT`; two heads that
    /// differ are `HISTORY_HEAD_MISMATCH`.
    UnassignCard = Delete "/api/v2/projects/{projectId}/cards/{cardId}/assignees/{userId}" {
        summary: "End an assignment",
        path: AssigneePath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: EndResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: everyday(), conditional(),
    }

    /// Puts an active tag on a card. With an expected head, a change of this tag since is `CARD_HISTORY_CONFLICT`; two
    /// heads that differ are `HISTORY_HEAD_MISMATCH`.
    TagCard = Put "/api/v2/projects/{projectId}/cards/{cardId}/tags/{tagId}" {
        summary: "Put a tag on a card",
        path: CardTagPath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: CardResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: everyday(), conditional(),
    }

    /// Takes a tag off a card. With an expected head, a change of it since is `CARD_HISTORY_CONFLICT`; two heads that
    /// differ are `HISTORY_HEAD_MISMATCH`.
    UntagCard = Delete "/api/v2/projects/{projectId}/cards/{cardId}/tags/{tagId}" {
        summary: "Remove a tag from a card",
        path: CardTagPath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: EndResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }

    /// Links a card to an object of its project. With an expected head, a change of this link since is
    /// `CARD_HISTORY_CONFLICT`; two heads that differ are `HISTORY_HEAD_MISMATCH`.
    LinkCard = Put "/api/v2/projects/{projectId}/cards/{cardId}/objects/{objectId}" {
        summary: "Link a card to an object",
        path: CardObjectPath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: CardResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: everyday(), conditional(),
    }

    /// Ends a card's link to an object. With an expected head, a change of it since is `CARD_HISTORY_CONFLICT`; two
    /// heads that differ are `HISTORY_HEAD_MISMATCH`.
    UnlinkCard = Delete "/api/v2/projects/{projectId}/cards/{cardId}/objects/{objectId}" {
        summary: "End a card's link to an object",
        path: CardObjectPath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: EndResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }
}

/// The path of an assignment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssigneePath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The card, by its id or key.
    pub card_id: CardName,
    /// The assignee.
    pub user_id: UserId,
}

/// The path of a tag on a card.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardTagPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The card, by its id or key.
    pub card_id: CardName,
    /// The tag.
    pub tag_id: TagId,
}

/// The path of a card's link to an object.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardObjectPath {
    /// The project, or `{projectId}--{branchName}`, which names the branch of the object.
    pub project_id: ProjectRef,
    /// The card, by its id or key.
    pub card_id: CardName,
    /// The object.
    pub object_id: ObjectId,
}
