//! Filters of lists of cards, as queries name them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CARD_MAX_TAGS, CardType, Priority};
use crate::id::list::Ids;
use crate::id::{TagId, UserId};
use crate::key::CardName;

/// Tags that a card must all have.
pub type TagIds = Ids<TagId, CARD_MAX_TAGS>;

/// Priorities of which a card must have one.
pub type Priorities = AnyOf<Priority, 5>;
/// Types of which a card must have one.
pub type CardTypes = AnyOf<CardType, 20>;

/// A list of one to `MAX` values, separated by commas. A card must have one of them.
#[derive(Clone, Debug)]
pub struct AnyOf<T, const MAX: usize>(pub Vec<T>);

impl<'de, T: FromStr, const MAX: usize> Deserialize<'de> for AnyOf<T, MAX>
where
    T::Err: fmt::Display,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        if text.split(',').nth(MAX).is_some() {
            return Err(serde::de::Error::custom(format!("invalid length: must name at most {MAX} values")));
        }
        let values: Result<Vec<T>, _> = text.split(',').map(str::parse).collect();
        values.map(Self).map_err(serde::de::Error::custom)
    }
}

impl<T: fmt::Display, const MAX: usize> Serialize for AnyOf<T, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values: Vec<String> = self.0.iter().map(T::to_string).collect();
        serializer.serialize_str(&values.join(","))
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for AnyOf<T, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("AnyOf{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": generator.subschema_for::<T>(),
            "minItems": 1,
            "maxItems": MAX,
        })
    }
}

/// A filter by parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParentFilter {
    /// Cards without a parent.
    None,
    /// Children of this card.
    Card(CardName),
}

/// The text is not `none`, an id or a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be `none`, or the id or key of a card")]
pub struct InvalidParent;

impl FromStr for ParentFilter {
    type Err = InvalidParent;

    fn from_str(text: &str) -> Result<Self, InvalidParent> {
        match text {
            "none" => Ok(Self::None),
            name => name.parse().map(Self::Card).map_err(|_| InvalidParent),
        }
    }
}

impl fmt::Display for ParentFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Card(name) => name.fmt(f),
        }
    }
}

impl Serialize for ParentFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ParentFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ParentFilter {
    fn schema_name() -> Cow<'static, str> {
        "ParentFilter".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "parent" })
    }
}

/// A filter by assignee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssigneeFilter {
    /// Cards of the caller.
    Me,
    /// Cards without an assignee.
    None,
    /// Cards of this user.
    User(UserId),
}

/// The text is not `me`, `none` or an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be `me`, `none` or the id of a user")]
pub struct InvalidAssignee;

impl FromStr for AssigneeFilter {
    type Err = InvalidAssignee;

    fn from_str(text: &str) -> Result<Self, InvalidAssignee> {
        match text {
            "me" => Ok(Self::Me),
            "none" => Ok(Self::None),
            id => id.parse().map(Self::User).map_err(|_| InvalidAssignee),
        }
    }
}

impl fmt::Display for AssigneeFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Me => f.write_str("me"),
            Self::None => f.write_str("none"),
            Self::User(id) => write!(f, "{id}"),
        }
    }
}

impl Serialize for AssigneeFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AssigneeFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for AssigneeFilter {
    fn schema_name() -> Cow<'static, str> {
        "AssigneeFilter".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "assignee" })
    }
}
