//! Relations between cards.

use domain::content::project::ProjectRef;
use domain::id::HistoryId;
use domain::key::CardName;
use domain::planning::relation::{CardRelation, RelationKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::planning::cards::{CardPath, CardResponse, EndResponse};
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists the cards that a card blocks or duplicates, those that block or duplicate it, and those that it is related
    /// to, as far as the caller reads them. `direction` is the side of the card in the path.
    ListCardRelations = Get "/api/v2/projects/{projectId}/cards/{cardId}/relations" {
        summary: "List a card's relations",
        path: CardPath,
        answer: ListCardRelationsResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }

    /// Says that the card blocks, duplicates or is related to another card of the project, or of one of the same owner
    /// whose cards the caller reads. With an expected head, a change of their relations since is
    /// `CARD_HISTORY_CONFLICT`; two heads that differ are `HISTORY_HEAD_MISMATCH`. Too many relations of a card are
    /// `LIMIT_REACHED`.
    RelateCards = Put "/api/v2/projects/{projectId}/cards/{cardId}/relations/{otherCardId}" {
        summary: "Relate a card to another one",
        path: CardRelationPath,
        body: Json<RelateCardsRequest>,
        answer: CardResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }

    /// Ends a relation of the card to another one, or without `kind` all relations of the two. With an expected head, a
    /// change of them since is `CARD_HISTORY_CONFLICT`; two heads that differ are `HISTORY_HEAD_MISMATCH`.
    UnrelateCards = Delete "/api/v2/projects/{projectId}/cards/{cardId}/relations/{otherCardId}" {
        summary: "End a relation of two cards",
        path: CardRelationPath,
        body: Option<Json<UnrelateCardsRequest>>,
        answer: EndResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }
}

/// The relations of a card.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListCardRelationsResponse {
    /// The relations.
    pub relations: Vec<CardRelation>,
}

/// A relation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelateCardsRequest {
    /// Kind.
    pub kind: RelationKind,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// The relation to end.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnrelateCardsRequest {
    /// Kind; all kinds, from either side, if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<RelationKind>,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// The path of a relation of two cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardRelationPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The card, by its id or key.
    pub card_id: CardName,
    /// The other card, by its id or key.
    pub other_card_id: CardName,
}
