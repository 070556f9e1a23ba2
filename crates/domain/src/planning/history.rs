//! The history of cards, numbered in one sequence for the whole service.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::id::{ApiKeyId, CardId, HistoryId, ProjectId, SessionId, TeamId, UserId};
use crate::time::Timestamp;

/// The field of a card's places on boards, one [`Placement`](crate::planning::board::Placement) for each team.
pub const TEAM_PLACEMENT: &str = "team_placement";

/// The field of a card's relations to others: the other card's `id`, `kind` and `direction`.
pub const RELATION: &str = "relation";
/// The field of a parent of another project: its id and its project's.
pub const PARENT: &str = "parent";
/// The field of the lines of a card's checklist: `id`, `text` and `isDone`.
pub const CHECKLIST_ITEM: &str = "checklist_item";
/// The field of the files that are attached to a card: `id`, `name`, `size`, `mimeType` and `sha256`.
pub const ATTACHMENT: &str = "attachment";

/// The number of a row, which grows over all cards of the service. JSON has it as a string of digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence(pub i64);

impl FromStr for Sequence {
    type Err = InvalidSequence;

    fn from_str(text: &str) -> Result<Self, InvalidSequence> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits).map(Self).ok_or(InvalidSequence)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Sequence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sequence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Sequence {
    fn schema_name() -> Cow<'static, str> {
        "Sequence".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\d+$", "format": "sequence" })
    }
}

/// The text is not a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a sequence of a history row")]
pub struct InvalidSequence;

/// The kind of a change to a card.
// docs/api.md, section 5
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HistoryKind {
    /// It was created.
    Created,
    /// A user was assigned.
    Assigned,
    /// An assignment ended.
    Unassigned,
    /// A tag was added.
    Tagged,
    /// A tag was removed.
    Untagged,
    /// Fields changed.
    Updated,
    /// It was closed.
    Closed,
    /// It was opened again.
    Reopened,
    /// It was placed on a team's board.
    Placed,
    /// It was moved on a board.
    Moved,
    /// It was removed from a board.
    Removed,
    /// A comment was written, changed or deleted.
    Commented,
    /// It was linked to an object, or related to another card.
    Linked,
    /// A link to an object or a relation to another card ended.
    Unlinked,
    /// It was deleted.
    Deleted,
}

impl HistoryKind {
    /// All.
    const ALL: [Self; 15] = [
        Self::Created,
        Self::Assigned,
        Self::Unassigned,
        Self::Tagged,
        Self::Untagged,
        Self::Updated,
        Self::Closed,
        Self::Reopened,
        Self::Placed,
        Self::Moved,
        Self::Removed,
        Self::Commented,
        Self::Linked,
        Self::Unlinked,
        Self::Deleted,
    ];

    /// The kind's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Assigned => "assigned",
            Self::Unassigned => "unassigned",
            Self::Tagged => "tagged",
            Self::Untagged => "untagged",
            Self::Updated => "updated",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
            Self::Placed => "placed",
            Self::Moved => "moved",
            Self::Removed => "removed",
            Self::Commented => "commented",
            Self::Linked => "linked",
            Self::Unlinked => "unlinked",
            Self::Deleted => "deleted",
        }
    }
}

impl JsonSchema for HistoryKind {
    fn schema_name() -> Cow<'static, str> {
        "HistoryKind".into()
    }

    /// Most names explain themselves.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "enum": Self::ALL.map(Self::as_str),
            "description": "The kind of a change to a card. `placed`, `moved` and `removed` are of boards, `linked` \
                            and `unlinked` of objects, other cards and parents of other projects; `commented` also tells of changed and deleted \
                            comments.",
        })
    }
}

/// A card's last history row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryHead {
    /// The row.
    pub id: HistoryId,
    /// Sequence.
    pub sequence: Sequence,
}

/// A row of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRow {
    /// Id. A card's last row is its head.
    pub id: HistoryId,
    /// Sequence.
    pub sequence: Sequence,
    /// The card, which may have been deleted.
    pub card_id: CardId,
    /// The card's project.
    pub project_id: ProjectId,
    /// Kind of change.
    pub kind: HistoryKind,
    /// The author of the change.
    pub actor: HistoryActor,
    /// The changed fields with their values before and after, named as in the card.
    pub changes: FieldChanges,
    /// Time of the change.
    pub occurred_at: Timestamp,
}

/// The author of the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryActor {
    /// The user.
    pub user_id: UserId,
    /// The API key; null for a browser session.
    pub key_id: Option<ApiKeyId>,
    /// The session whose agent acted, if any.
    pub session_id: Option<SessionId>,
}

/// Changed fields with their values before and after.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "Changes")]
pub struct FieldChanges(#[schemars(with = "std::collections::BTreeMap<String, Change>")] Map<String, Value>);

/// A field before and after.
#[derive(Serialize, JsonSchema)]
struct Change {
    before: Value,
    after: Value,
}

impl FieldChanges {
    /// Nothing changed.
    pub fn none() -> Self {
        Self::default()
    }

    /// True if nothing changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a field, if its two values differ. A value without JSON counts as null.
    #[must_use]
    pub fn and<T: Serialize>(mut self, field: &str, before: T, after: T) -> Self {
        let json = |value| serde_json::to_value(value).unwrap_or_default();
        let (before, after) = (json(before), json(after));
        if before != after {
            self.0.insert(field.to_owned(), serde_json::json!({ "before": before, "after": after }));
        }
        self
    }

    /// The fields in which two values of one type differ.
    pub fn between<T: Serialize>(before: &T, after: &T) -> Self {
        let fields = |value| match serde_json::to_value(value) {
            Ok(Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let before = fields(before);
        fields(after)
            .iter()
            .fold(Self::none(), |changes, (name, after)| changes.and(name, before.get(name), Some(after)))
    }

    /// The new values of the changed fields, by field.
    pub fn new_values(&self) -> serde_json::Map<String, Value> {
        let value = |change: &Value| change.get("after").cloned().unwrap_or_default();
        self.0.iter().map(|(field, change)| (field.clone(), value(change))).collect()
    }

    /// The addition, removal or change of one element of a collection.
    pub fn of_element<T: Serialize>(field: &str, before: Option<T>, after: Option<T>) -> Self {
        Self::none().and(field, before, after)
    }

    /// The values of a changed field before and after.
    pub fn of(&self, field: &str) -> Option<(&Value, &Value)> {
        let change = self.0.get(field)?;
        Some((change.get("before")?, change.get("after")?))
    }

    /// The team of a changed place on a board.
    pub fn team(&self) -> Option<TeamId> {
        let change = self.0.get(TEAM_PLACEMENT)?;
        elements(change).into_iter().find_map(|team| TeamId::deserialize(team).ok())
    }

    /// The project of the other card of a changed relation, or of a parent, if it is of another project.
    pub fn other_project(&self) -> Option<ProjectId> {
        let (before, after) = self.of(RELATION).or_else(|| self.of(PARENT))?;
        [after, before].into_iter().find_map(|side| ProjectId::deserialize(side.get("project_id")?).ok())
    }

    /// The changed fields. A collection appears once per changed element, with the element's id, so that changes of
    /// different elements don't conflict.
    pub fn touched(&self) -> Vec<(&str, Option<&str>)> {
        let mut touched = Vec::new();
        for (field, change) in &self.0 {
            if is_element_field(field) {
                let ids = elements(change).into_iter().filter_map(Value::as_str);
                touched.extend(ids.map(|id| (field.as_str(), Some(id))));
            } else {
                touched.push((field.as_str(), None));
            }
        }
        touched
    }
}

/// True for collections, whose changes each name one element.
fn is_element_field(field: &str) -> bool {
    matches!(
        field,
        "user_id"
            | "tag_id"
            | "object_id"
            | "comment"
            | CHECKLIST_ITEM
            | ATTACHMENT
            | RELATION
            | PARENT
            | TEAM_PLACEMENT
    )
}

/// The ids of the changed elements. A place on a board is identified by its team.
fn elements(change: &Value) -> Vec<&Value> {
    let sides = [change.get("before"), change.get("after")].into_iter().flatten();
    let sides = sides.filter(|side| !side.is_null());
    sides.map(|side| side.get("id").or_else(|| side.get("team_id")).unwrap_or(side)).collect()
}

#[cfg(test)]
mod tests {
    use super::{FieldChanges, PARENT, RELATION, Sequence, TEAM_PLACEMENT};

    #[test]
    fn a_change_touches_its_field_or_element() {
        let name = FieldChanges::none().and("name", "a", "b").and("effort", 1, 1);
        assert_eq!(name.touched(), [("name", None)]);
        assert!(FieldChanges::none().and("name", "a", "a").is_empty());
        assert_eq!(FieldChanges::of_element("tag_id", None, Some("x")).touched(), [("tag_id", Some("x"))]);
        let comment = serde_json::json!({ "id": "c", "body": "Yes." });
        assert_eq!(
            FieldChanges::of_element("comment", Some(comment), None).touched(),
            [("comment", Some("c"))]
        );
        let place = |rank: &str| serde_json::json!({ "team_id": "t", "rank": rank });
        let moved = FieldChanges::of_element(TEAM_PLACEMENT, Some(place("a0")), Some(place("a1")));
        assert_eq!(moved.touched(), [(TEAM_PLACEMENT, Some("t")); 2]);
        assert_eq!(moved.team(), None);
    }

    #[test]
    fn a_row_names_the_project_of_a_card_of_another_one() {
        let project = "0198c5a2-0000-7000-8000-000000000001";
        let far = || serde_json::json!({ "id": "c", "project_id": project });
        for field in [RELATION, PARENT] {
            let begun = FieldChanges::of_element(field, None, Some(far()));
            let ended = FieldChanges::of_element(field, Some(far()), None);
            for changes in [begun, ended] {
                assert_eq!(changes.other_project().map(|id| id.to_string()).as_deref(), Some(project));
                assert_eq!(changes.touched(), [(field, Some("c"))]);
            }
        }
        assert_eq!(FieldChanges::none().and("parent_id", None, Some("c")).other_project(), None);
    }

    #[test]
    fn a_sequence_consists_of_digits() {
        assert_eq!("0042".parse(), Ok(Sequence(42)));
        for refused in ["", "+1", "-1", "1.0", "9223372036854775808", "\u{661}"] {
            assert!(refused.parse::<Sequence>().is_err(), "{refused}");
        }
    }
}
