//! Tags of cards.

use domain::id::TagId;
use domain::patch::Patch;
use domain::tag::{Color, TagRecord, TagStatus};
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
