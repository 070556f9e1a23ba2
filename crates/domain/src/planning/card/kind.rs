//! Types and priorities of cards.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::text::Name;

/// Longest name of a type, in characters.
pub const CARD_TYPE_MAX_CHARS: usize = 50;
/// The type of a card that says nothing else.
const TASK: &str = "task";

/// How urgent a card is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Nobody has decided.
    #[default]
    None,
    /// When there is time.
    Low,
    /// In its turn.
    Medium,
    /// Before others.
    High,
    /// Now.
    Urgent,
}

impl Priority {
    /// All, the least urgent first.
    pub const ALL: [Self; 5] = [Self::None, Self::Low, Self::Medium, Self::High, Self::Urgent];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl JsonSchema for Priority {
    fn schema_name() -> Cow<'static, str> {
        "Priority".into()
    }

    fn inline_schema() -> bool {
        true
    }

    /// The names explain themselves, and stand in many schemas.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

/// The text is not a priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be `none`, `low`, `medium`, `high` or `urgent`")]
pub struct InvalidPriority;

impl FromStr for Priority {
    type Err = InvalidPriority;

    fn from_str(text: &str) -> Result<Self, InvalidPriority> {
        Self::ALL.into_iter().find(|priority| priority.as_str() == text).ok_or(InvalidPriority)
    }
}

/// The kind of work that a card is: a name in lower case, without commas, of 1 to [`CARD_TYPE_MAX_CHARS`] characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct CardType(String);

impl CardType {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for CardType {
    fn default() -> Self {
        Self(TASK.to_owned())
    }
}

impl fmt::Display for CardType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is not the name of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must contain a visible character and no comma, and have at most {CARD_TYPE_MAX_CHARS} characters")]
pub struct InvalidCardType;

impl FromStr for CardType {
    type Err = InvalidCardType;

    /// Sanitises as [`Name`] does, and writes it in lower case.
    fn from_str(text: &str) -> Result<Self, InvalidCardType> {
        let name = Name::sanitize(text).map(|name| name.as_str().to_lowercase());
        let suits = |name: &String| !name.contains(',') && name.chars().count() <= CARD_TYPE_MAX_CHARS;
        name.filter(suits).map(Self).ok_or(InvalidCardType)
    }
}

impl<'de> Deserialize<'de> for CardType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for CardType {
    fn schema_name() -> Cow<'static, str> {
        "CardType".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "card-type" })
    }
}

#[cfg(test)]
mod tests {
    use super::{CardType, Priority};

    #[test]
    fn priorities_are_ordered_and_named() {
        assert!(Priority::ALL.is_sorted());
        assert!(Priority::ALL.iter().all(|priority| priority.as_str().parse() == Ok(*priority)));
        assert!("High".parse::<Priority>().is_err());
    }

    #[test]
    fn a_type_is_written_in_lower_case() {
        let read = |text: &str| text.parse::<CardType>().map(|name| name.to_string());
        assert_eq!(read("  Design  Review "), Ok("design review".to_owned()));
        assert_eq!(CardType::default().as_str(), "task");
        for refused in ["", " ", "\u{200b}", "a,b", &"x".repeat(51)] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }
}
