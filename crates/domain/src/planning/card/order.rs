//! Orders of a project's cards, and positions in them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CardRecord;
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
}

/// The position of a card in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPosition {
    /// The time by which cards are ordered; `None` in orders by id, and without a deadline.
    pub time: Option<Timestamp>,
    /// The card.
    pub id: CardId,
}

impl CardOrder {
    /// The position of `card`.
    pub fn position(self, card: &CardRecord) -> CardPosition {
        let time = match self {
            Self::Newest | Self::Oldest => None,
            Self::Updated => Some(card.updated_at),
            Self::Deadline => card.fields.deadline.map(|deadline| deadline.0),
        };
        CardPosition { time, id: card.id }
    }
}
