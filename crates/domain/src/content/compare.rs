//! Differences of two commits by object, aspect and field.

pub mod aspect;
pub mod displacement;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::content::compare::aspect::ChangeAspect;
use crate::content::compare::displacement::Displacement;
use crate::content::field::FieldPath;
use crate::content::object::CommitHash;
use crate::content::project::{BranchName, InvalidBranchName};
use crate::id::ObjectId;
use crate::text::Name;

/// A commit, given by its hash or as the head of a branch. Text that reads as a hash is one, as in Git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Point {
    /// The head of this branch.
    Branch(BranchName),
    /// This commit.
    Commit(CommitHash),
}

impl FromStr for Point {
    type Err = InvalidBranchName;

    fn from_str(text: &str) -> Result<Self, InvalidBranchName> {
        match text.parse() {
            Ok(commit) => Ok(Self::Commit(commit)),
            Err(_) => text.parse().map(Self::Branch),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch(name) => name.fmt(f),
            Self::Commit(hash) => hash.fmt(f),
        }
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Point {
    fn schema_name() -> Cow<'static, str> {
        "Point".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "revision",
            "description": "A branch's name, or a commit's hash.",
        })
    }
}

/// The change of an object from base to head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ObjectChangeKind")]
pub enum ChangeKind {
    /// Only in the head.
    Added,
    /// In both, with different fields.
    Modified,
    /// Only in the base.
    Deleted,
}

/// An object that differs between two commits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectChange {
    /// The object.
    pub object_id: ObjectId,
    /// Kind of change.
    pub change: ChangeKind,
    /// Name; of a deleted object that in the base.
    pub name: Name,
    /// Type; of a deleted object that in the base.
    #[serde(rename = "type")]
    pub object_type: String,
    /// Parent; of a deleted object that in the base.
    pub parent_id: ObjectId,
    /// Aspects in which a modified object differs. Absent if only rounding errors differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aspects: Vec<ChangeAspect>,
    /// The way of a moved object. Absent if one of its placements is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displacement: Option<Displacement>,
    /// The different fields; all fields of an added or deleted object.
    pub fields: Vec<FieldChange>,
}

/// A different field. A side without the field is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The field, as a JSON Pointer into the object. In `data` each nested property is a field; a list is one value.
    pub field: FieldPath,
    /// Value in the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Value>,
    /// Value in the head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Value>,
}

/// The different fields of the members of two objects, ordered by path. Each nested property in `data` is a field; lists are
/// single values.
pub fn field_changes(base: &Map<String, Value>, head: &Map<String, Value>) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    compare(&FieldPath::default(), base, head, &mut changes);
    changes
}

fn compare(
    path: &FieldPath,
    base: &Map<String, Value>,
    head: &Map<String, Value>,
    changes: &mut Vec<FieldChange>,
) {
    let keys: BTreeSet<&String> = base.keys().chain(head.keys()).collect();
    for key in keys {
        let path = path.child(key);
        match (base.get(key), head.get(key)) {
            (base, head) if base == head => {}
            (Some(Value::Object(base)), Some(Value::Object(head))) if path.is_in_data() => {
                compare(&path, base, head, changes);
            }
            (base, head) => {
                changes.push(FieldChange { field: path, base: base.cloned(), head: head.cloned() });
            }
        }
    }
}
