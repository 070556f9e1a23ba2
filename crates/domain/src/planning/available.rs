//! Results of the search for cards that can be placed on a team's board. JSON names are in snake case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CardId, HistoryId, ProjectId, TagId, UserId};
use crate::planning::card::Effort;
use crate::planning::tag::Color;
use crate::text::Name;
use crate::time::Timestamp;

/// A card that can be placed on a team's board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AvailableTeamCard {
    /// Id.
    pub id: CardId,
    /// Name.
    pub name: Name,
    /// Its project.
    pub project_id: ProjectId,
    /// The project's name.
    pub project_name: Name,
    /// Always true: only open cards are found.
    pub is_open: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Due date.
    pub deadline: Option<Timestamp>,
    /// Its estimate.
    pub effort: Effort,
    /// Its latest history row.
    pub history_head_id: HistoryId,
    /// Display name of its creator.
    pub author_display_name: String,
    /// Its assignees.
    pub assignees: Vec<Assignee>,
    /// Its tags.
    pub tags: Vec<CardTagLabel>,
    /// The ids of its tags.
    pub tag_ids: Vec<TagId>,
    /// The caller's rights on it.
    pub capabilities: CardCapabilities,
}

/// An assignee of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Assignee {
    /// The user.
    pub id: UserId,
    /// The user's display name.
    pub display_name: String,
}

/// A tag of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CardTagLabel {
    /// Id.
    pub id: TagId,
    /// Name.
    pub name: Name,
    /// Color.
    pub color: Color,
}

/// The caller's rights on the cards of a project, by its role and its credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct CardCapabilities {
    /// Permission to read them.
    pub can_read_cards: bool,
    /// Permission to create, change and place them.
    pub can_write_cards: bool,
    /// Permission to delete them.
    pub can_delete_cards: bool,
}

/// A project to filter the search by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProjectOption {
    /// Id.
    pub id: ProjectId,
    /// Name.
    pub name: Name,
}
