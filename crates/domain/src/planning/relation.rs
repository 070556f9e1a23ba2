//! Relations between the cards of an owner's projects, parents in other projects, and the progress of a card's children.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CardId, ProjectId};
use crate::key::CardKey;
use crate::text::Name;

/// Most relations of a card to cards of one project.
pub const CARD_MAX_RELATIONS: u64 = 100;
/// Most levels of cards, a card without a parent being the first.
pub const CARD_MAX_LEVELS: usize = 8;

/// How a card is related to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RelationKind {
    /// The other card can't be finished before this one.
    Blocks,
    /// Who works on one should know of the other.
    Relates,
    /// This card asks for the same as the other one.
    Duplicates,
}

impl RelationKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blocks => "blocks",
            Self::Relates => "relates",
            Self::Duplicates => "duplicates",
        }
    }
}

/// The side on which a card stands in a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RelationDirection {
    /// The card blocks or duplicates the other one.
    Outward,
    /// The other one blocks or duplicates the card.
    Inward,
    /// The relation is the same from both sides.
    Mutual,
}

/// A relation of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardRelation {
    /// Kind.
    pub kind: RelationKind,
    /// The card's side.
    pub direction: RelationDirection,
    /// The other card.
    pub card: RelatedCard,
}

/// A card, in brief.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedCard {
    /// Id.
    pub id: CardId,
    /// Its project.
    pub project_id: ProjectId,
    /// Key.
    pub key: Option<CardKey>,
    /// Name.
    pub name: Name,
    /// True while it is open.
    pub is_open: bool,
}

/// A parent of another project. A reader who doesn't see both projects finds no trace of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarParent {
    /// The parent.
    #[serde(rename = "id")]
    pub card: CardId,
    /// Its project.
    #[serde(rename = "project_id")]
    pub project: ProjectId,
}

/// The cards below a card, on all levels, as far as the caller sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChildrenProgress {
    /// All.
    pub total: i64,
    /// Those that are closed.
    pub closed: i64,
    /// The sum of their effort.
    pub effort: i64,
    /// The sum of the effort of those that are closed.
    pub closed_effort: i64,
}

impl RelationDirection {
    /// The side of a card that is the first or the second of a relation.
    pub fn of(kind: RelationKind, is_first: bool) -> Self {
        match (kind, is_first) {
            (RelationKind::Relates, _) => Self::Mutual,
            (_, true) => Self::Outward,
            (_, false) => Self::Inward,
        }
    }

    /// The other card's side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Outward => Self::Inward,
            Self::Inward => Self::Outward,
            Self::Mutual => Self::Mutual,
        }
    }
}
