//! The search for cards that a team can take onto its board, spelled as the specification's table spells them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::card::Effort;
use crate::id::{CardId, HistoryId, ProjectId, TagId, UserId};
use crate::tag::Color;
use crate::text::Name;
use crate::time::Timestamp;

/// A card that can be put on a team's board (specification, "Available team card").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
    /// Whether it is open, as every card is that is found.
    pub is_open: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// When anything about it last changed.
    pub updated_at: Timestamp,
    /// When it is due.
    pub deadline: Option<Timestamp>,
    /// Its estimate.
    pub effort: Effort,
    /// Its latest history row.
    pub history_head_id: HistoryId,
    /// Display name of its creator.
    pub author_display_name: String,
    /// To whom it is assigned.
    pub assignees: Vec<Assignee>,
    /// Its tags.
    pub tags: Vec<CardTagLabel>,
    /// The ids of its tags.
    pub tag_ids: Vec<TagId>,
    /// What the caller may do with it.
    pub capabilities: CardCapabilities,
}

/// To whom a card is assigned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Assignee {
    /// The user.
    pub id: UserId,
    /// The user's display name.
    pub display_name: String,
}

/// A tag, as a card shows it.
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

/// What the caller may do with the cards of a project, by its role and its credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct CardCapabilities {
    /// Whether it may read them.
    pub can_read_cards: bool,
    /// Whether it may create, change and place them.
    pub can_write_cards: bool,
    /// Whether it may delete them.
    pub can_delete_cards: bool,
}

/// A project by which a search can be narrowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProjectOption {
    /// Id.
    pub id: ProjectId,
    /// Name.
    pub name: Name,
}
