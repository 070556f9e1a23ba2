//! Filters of lists of cards, as queries name them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::CARD_MAX_TAGS;
use crate::id::list::Ids;
use crate::id::{TagId, UserId};

/// Tags that a card must all have.
pub type TagIds = Ids<TagId, CARD_MAX_TAGS>;

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
