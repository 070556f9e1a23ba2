//! The difference of a board to one of its earlier revisions.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::{CardId, StatusId, TeamId};
use crate::planning::board::{BoardAssignee, ColumnCard};
use crate::planning::custom_field::CustomField;
use crate::planning::status::StatusRecord;

/// Length of a revision.
const REVISION_CHARS: usize = 32;

/// A revision of a board as a reader sees it: the `ETag` of its answer, without quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardRevision(String);

impl BoardRevision {
    /// The revision as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BoardRevision {
    type Err = InvalidBoardRevision;

    /// Reads a revision, or the `ETag` that has it: proxies that compress make a tag weak.
    fn from_str(text: &str) -> Result<Self, InvalidBoardRevision> {
        let text = text.strip_prefix("W/").unwrap_or(text);
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_revision = text.len() == REVISION_CHARS && text.bytes().all(is_hex);
        is_revision.then(|| Self(text.to_owned())).ok_or(InvalidBoardRevision)
    }
}

impl fmt::Display for BoardRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for BoardRevision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for BoardRevision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for BoardRevision {
    fn schema_name() -> Cow<'static, str> {
        "BoardRevision".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "board-revision" })
    }
}

/// The text is not a revision of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the revision of a board")]
pub struct InvalidBoardRevision;

/// The difference of a board to an earlier revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoardChanges {
    /// Its team.
    pub team_id: TeamId,
    /// The board's revision now.
    pub revision: BoardRevision,
    /// True if these are the changes of an empty board.
    pub is_whole: bool,
    /// All columns, from the left.
    pub column_ids: Vec<StatusId>,
    /// The columns that are new or differ.
    pub columns: Vec<BoardColumnChange>,
    /// The cards that are new or differ.
    pub cards: Vec<BoardCardChange>,
    /// The cards that are gone.
    pub removed_card_ids: Vec<CardId>,
    /// All custom fields of which cards have values here.
    pub fields: Vec<CustomField>,
    /// All users among these values.
    pub field_users: Vec<BoardAssignee>,
}

/// A column without its cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoardColumnChange {
    /// The column.
    pub status: StatusRecord,
    /// The number of cards in the column, ignoring the board's filter.
    pub card_count: i64,
    /// Sum of the cards' effort.
    pub effort: i64,
    /// True if the column exceeds its WIP limit.
    pub wip_exceeded: bool,
}

/// A card with its column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoardCardChange {
    /// The column.
    pub status_id: StatusId,
    /// The card.
    pub card: ColumnCard,
}

#[cfg(test)]
mod tests {
    use super::BoardRevision;

    #[test]
    fn a_revision_is_read_from_itself_and_from_strong_and_weak_tags() {
        let hash = "0123456789abcdef0123456789abcdef";
        for text in [hash.to_owned(), format!("\"{hash}\""), format!("W/\"{hash}\"")] {
            assert_eq!(
                text.parse::<BoardRevision>().map(|revision| revision.to_string()),
                Ok(hash.to_owned())
            );
        }
        let (longer, shorter) = (format!("{hash}0"), hash.trim_start_matches('0'));
        for refused in ["", "\"", "\"\"", "7", shorter, &longer, &hash.to_uppercase(), "\0"] {
            assert!(refused.parse::<BoardRevision>().is_err(), "{refused}");
        }
    }
}
