//! Orders of cards, and positions in them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CardRecord, Priority};
use crate::id::{CardId, FieldId};
use crate::planning::custom_field::ValueKey;
use crate::time::Timestamp;

/// The beginning of an order by a custom field.
const FIELD_PREFIX: &str = "field-";

/// An order of cards. Equal times are ordered by id, so that each card has one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// The order that a request names: `newest`, `oldest`, `updated`, `deadline`, `priority`, or `field-` with the id or name of
/// a custom field, the last first with `-` in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardSort {
    /// An order by what all cards have.
    Order(CardOrder),
    /// An order by the values of a custom field.
    Field(FieldSort),
}

/// An order by a custom field, as a request names it. Cards without a value come last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSort {
    /// The field's id or name.
    pub field: String,
    /// True for the last first.
    pub is_descending: bool,
}

/// The order by a custom field, or by those of one name in several projects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldOrder {
    /// The fields.
    pub fields: Vec<FieldId>,
    /// True for the last first.
    pub is_descending: bool,
}

/// The position of a card in an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPosition {
    /// The time by which cards are ordered; `None` in orders by id, and without a deadline.
    pub time: Option<Timestamp>,
    /// The priority by which cards are ordered.
    #[serde(default)]
    pub priority: Option<Priority>,
    /// The value by which cards are ordered; `None` in other orders, and without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<ValuePosition>,
    /// The card.
    pub id: CardId,
}

/// The value of a custom field as a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuePosition {
    /// The field.
    pub field: FieldId,
    /// The value as its index holds it.
    pub key: ValueKey,
}

impl CardOrder {
    const ALL: [Self; 5] = [Self::Newest, Self::Oldest, Self::Updated, Self::Deadline, Self::Priority];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Updated => "updated",
            Self::Deadline => "deadline",
            Self::Priority => "priority",
        }
    }

    /// The position of `card`.
    pub fn position(self, card: &CardRecord) -> CardPosition {
        let time = match self {
            Self::Newest | Self::Oldest | Self::Priority => None,
            Self::Updated => Some(card.updated_at),
            Self::Deadline => card.fields.deadline.map(|deadline| deadline.0),
        };
        let priority = (self == Self::Priority).then_some(card.fields.priority);
        CardPosition { time, priority, value: None, id: card.id }
    }
}

impl FieldOrder {
    /// The position of `card`.
    pub fn position(&self, card: &CardRecord) -> CardPosition {
        let values = &card.fields.fields;
        let value = self.fields.iter().find_map(|field| {
            let key = values.get(*field)?.sort_key()?;
            Some(ValuePosition { field: *field, key })
        });
        CardPosition { time: None, priority: None, value, id: card.id }
    }
}

/// The text is not an order of cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be `newest`, `oldest`, `updated`, `deadline`, `priority`, or `field-` with a custom field's id or name, and `-` in \
     front for the last first"
)]
pub struct InvalidCardSort;

impl FromStr for CardSort {
    type Err = InvalidCardSort;

    fn from_str(text: &str) -> Result<Self, InvalidCardSort> {
        if let Some(order) = CardOrder::ALL.into_iter().find(|order| order.as_str() == text) {
            return Ok(Self::Order(order));
        }
        let (is_descending, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let field = rest.strip_prefix(FIELD_PREFIX).ok_or(InvalidCardSort)?;
        match field.is_empty() || field.contains('\0') {
            true => Err(InvalidCardSort),
            false => Ok(Self::Field(FieldSort { field: field.to_owned(), is_descending })),
        }
    }
}

impl fmt::Display for CardSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(order) => f.write_str(order.as_str()),
            Self::Field(FieldSort { field, is_descending }) => {
                let sign = if *is_descending { "-" } else { "" };
                write!(f, "{sign}{FIELD_PREFIX}{field}")
            }
        }
    }
}

impl Serialize for CardSort {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CardSort {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for CardSort {
    fn schema_name() -> Cow<'static, str> {
        "CardSort".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "card-sort" })
    }
}

#[cfg(test)]
mod tests {
    use super::{CardOrder, CardSort, FieldSort};

    #[test]
    fn an_order_is_a_name_or_a_custom_field_in_one_of_two_directions() {
        let by = |field: &str, is_descending| {
            CardSort::Field(FieldSort { field: field.to_owned(), is_descending })
        };
        for (text, sort) in [
            ("priority", CardSort::Order(CardOrder::Priority)),
            ("field-Weight", by("Weight", false)),
            ("-field-Part number", by("Part number", true)),
            ("field--field-x", by("-field-x", false)),
        ] {
            assert_eq!(text.parse(), Ok(sort.clone()));
            assert_eq!(sort.to_string(), text);
        }
        for refused in ["", "name", "-priority", "field-", "-field-", "--field-x", "field-a\0"] {
            assert!(refused.parse::<CardSort>().is_err(), "{refused}");
        }
    }
}
