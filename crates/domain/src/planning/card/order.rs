//! Orders of a project's cards, and positions in them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CardRecord, Priority};
use crate::id::CardId;
use crate::time::Timestamp;

/// An order of cards. Equal times are ordered by id, so that each card has one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CardOrder {
    /// Last created first.
    #[default]
    Newest,
    /// First created first.
    Oldest,
    /// Last changed first. A card that changes between two pages moves ahead of them.
    Updated,
    /// Earliest deadline first; cards without a deadline come last.
    Deadline,
    /// Most urgent first, and of these the last created.
    Priority,
}

/// The position of a card in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPosition {
    /// The time by which cards are ordered; `None` in orders by id, and without a deadline.
    pub time: Option<Timestamp>,
    /// The priority by which cards are ordered.
    #[serde(default)]
    pub priority: Option<Priority>,
    /// The card.
    pub id: CardId,
}

impl CardOrder {
    /// The position of `card`.
    pub fn position(self, card: &CardRecord) -> CardPosition {
        let time = match self {
            Self::Newest | Self::Oldest | Self::Priority => None,
            Self::Updated => Some(card.updated_at),
            Self::Deadline => card.fields.deadline.map(|deadline| deadline.0),
        };
        let priority = (self == Self::Priority).then_some(card.fields.priority);
        CardPosition { time, priority, id: card.id }
    }
}
