//! Versions of an object's file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::commit::Author;
use crate::content::object::{CommitHash, FileRef};
use crate::text::Name;
use crate::time::Timestamp;

/// A version of an object's file on a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectVersion {
    /// The commit that brought it to the branch; null if it is uncommitted.
    pub commit_hash: Option<CommitHash>,
    /// The commit's message; null if it is uncommitted.
    pub message: Option<String>,
    /// The commit's author, or who made the uncommitted change; null if that user is gone.
    pub author: Option<Author>,
    /// The commit's time, or that of the uncommitted change.
    pub created_at: Timestamp,
    /// The object's name at that time.
    pub name: Name,
    /// The file.
    pub file: FileRef,
}
