//! Types of cards that a project defines.

use domain::content::project::ProjectRef;
use domain::id::CardTypeId;
use domain::planning::card_type::{CardTypeDefinition, CreateCardTypeRequest, UpdateCardTypeRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists the types of cards that a project defines, by name. Cards may have other types, too.
    ListCardTypes = Get "/api/v2/projects/{projectId}/card-types" {
        summary: "List a project's types of cards",
        path: ProjectPath,
        answer: ListCardTypesResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }

    /// Defines a type of cards, at most 50: `LIMIT_REACHED`. New cards of the type that are created without a description
    /// or a checklist get the type's. A name that is defined already is `CARD_TYPE_NAME_TAKEN`.
    CreateCardType = Post "/api/v2/projects/{projectId}/card-types" {
        summary: "Define a type of cards",
        path: ProjectPath,
        body: Json<CreateCardTypeRequest>,
        answer: CardTypeResponse,
        effect: Creates,
        tool: Toolbox("cards"),
    }

    /// Answers a type of cards.
    GetCardType = Get "/api/v2/projects/{projectId}/card-types/{cardTypeId}" {
        summary: "Read a type of cards",
        path: CardTypePath,
        answer: CardTypeResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }

    /// Changes the preset of a type for cards to come.
    UpdateCardType = Patch "/api/v2/projects/{projectId}/card-types/{cardTypeId}" {
        summary: "Change the preset of a type of cards",
        path: CardTypePath,
        body: Json<UpdateCardTypeRequest>,
        answer: CardTypeResponse,
        effect: Changes,
        tool: Toolbox("cards"),
        also: conditional(),
    }

    /// Deletes the definition of a type. Cards keep the type's name.
    DeleteCardType = Delete "/api/v2/projects/{projectId}/card-types/{cardTypeId}" {
        summary: "Delete a type of cards",
        path: CardTypePath,
        answer: DeleteCardTypeResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }
}

/// One type of cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardTypeResponse {
    /// The type.
    pub card_type: CardTypeDefinition,
}

/// The types of cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListCardTypesResponse {
    /// The types.
    pub card_types: Vec<CardTypeDefinition>,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteCardTypeResponse {
    /// Always true.
    pub deleted: bool,
    /// The type.
    pub card_type_id: CardTypeId,
}

/// The path of an operation on a type of cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardTypePath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The type.
    pub card_type_id: CardTypeId,
}
