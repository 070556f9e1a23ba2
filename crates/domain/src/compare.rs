//! What differs between two commits, object by object and field by field.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::field::FieldPath;
use crate::id::ObjectId;
use crate::object::CommitHash;
use crate::project::{BranchName, InvalidBranchName};
use crate::text::Name;

/// A point in a project's history: a branch's last commit, by the branch's name, or a commit by its hash. What reads as
/// a hash is one, as in Git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Point {
    /// What the branch is at.
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
            "minLength": 1,
            "description": "A branch's name, or a commit's hash.",
        })
    }
}

/// What became of an object from one commit to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ObjectChangeKind")]
pub enum ChangeKind {
    /// Only the head has it.
    Added,
    /// Both have it, and it differs.
    Modified,
    /// Only the base has it.
    Deleted,
}

/// An object that differs between two commits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectChange {
    /// The object.
    pub object_id: ObjectId,
    /// What became of it.
    pub change: ChangeKind,
    /// Its name; that of the base where it was deleted.
    pub name: Name,
    /// Its type; that of the base where it was deleted.
    #[serde(rename = "type")]
    pub object_type: String,
    /// Its parent; that of the base where it was deleted.
    pub parent_id: ObjectId,
    /// The fields that differ: all of them where it was added or deleted.
    pub fields: Vec<FieldChange>,
}

/// A field that differs. What a commit does not have is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The field, as a JSON Pointer into the object. In `data` each property has its own, however deep; lists are one.
    pub field: FieldPath,
    /// What the base has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Value>,
    /// What the head has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Value>,
}
