//! What differs between two commits, object by object and field by field.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::field::FieldPath;
use crate::id::ObjectId;
use crate::text::Name;

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
