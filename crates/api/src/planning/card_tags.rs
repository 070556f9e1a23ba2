//! Tags of cards.

use domain::content::project::ProjectRef;
use domain::id::TagId;
use domain::patch::Patch;
use domain::planning::tag::{Color, TagRecord, TagStatus};
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::{operations, tags};

operations! {
    tag: tags::CARD_TAGS;

    /// Lists all tags of a project, with the number of their cards.
    ListCardTags = Get "/api/v2/projects/{projectId}/card-tags" {
        summary: "List a project's card tags",
        path: ProjectPath,
        answer: ListCardTagsResponse,
        effect: Reads,
        tool: Toolbox("cards"),
        also: everyday(),
    }

    /// Creates a tag. A name that another tag has, in any case, is `TAG_NAME_TAKEN`.
    CreateCardTag = Post "/api/v2/projects/{projectId}/card-tags" {
        summary: "Create a card tag",
        path: ProjectPath,
        body: Json<CreateCardTagRequest>,
        answer: CardTagResponse,
        effect: Creates,
        tool: Toolbox("cards"),
        also: everyday(),
    }

    /// Answers a tag with the number of cards that have it.
    GetCardTag = Get "/api/v2/projects/{projectId}/card-tags/{tagId}" {
        summary: "Read a card tag",
        path: TagPath,
        answer: CardTagResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }

    /// Changes a tag, archives it or takes it back into use. An archived tag stays on its cards and can't be put on
    /// others. A name that another tag has is `TAG_NAME_TAKEN`.
    UpdateCardTag = Patch "/api/v2/projects/{projectId}/card-tags/{tagId}" {
        summary: "Change or archive a card tag",
        path: TagPath,
        body: Json<UpdateCardTagRequest>,
        answer: CardTagResponse,
        effect: Changes,
        tool: Toolbox("cards"),
        also: conditional(),
    }

    /// Deletes a tag and takes it off every card, each with a row of history.
    DeleteCardTag = Delete "/api/v2/projects/{projectId}/card-tags/{tagId}" {
        summary: "Delete a card tag",
        path: TagPath,
        answer: DeleteCardTagResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }
}

/// One tag.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CardTagResponse {
    /// The tag.
    pub tag: TagRecord,
}

/// A tag to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateCardTagRequest {
    /// Name, unique in the project regardless of case.
    pub name: Name,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// Color as `#RRGGBB`. Defaults to gray.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// Lifecycle status. Defaults to `active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TagStatus>,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteCardTagResponse {
    /// Always true.
    pub deleted: bool,
    /// The tag.
    pub tag_id: TagId,
    /// Number of cards that had the tag.
    pub untagged_cards: usize,
}

/// The tags, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListCardTagsResponse {
    /// The tags.
    pub tags: Vec<TagRecord>,
}

/// The changes; at least one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateCardTagRequest {
    /// Name.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub name: Patch<Name>,
    /// Description.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub description: Patch<Description>,
    /// Color as `#RRGGBB`. Clearing it sets gray.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub color: Patch<Color>,
    /// Lifecycle status. An archived tag stays on its cards. Clearing it sets `active`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub status: Patch<TagStatus>,
}

/// The path of an operation on one tag.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The tag.
    pub tag_id: TagId,
}
