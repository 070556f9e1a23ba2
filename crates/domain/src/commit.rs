//! Commits and branches: what they say of themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::object::{CommitHash, Signature};
use crate::project::BranchName;
use crate::text::Text;
use crate::time::Timestamp;
use crate::{Error, Result};

/// Longest message of a commit, in characters.
pub const MESSAGE_MAX_CHARS: usize = 10_000;

/// Why something was committed; never blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMessage(Text<MESSAGE_MAX_CHARS>);

impl CommitMessage {
    /// The message from a request field called `field` (as in `body.message`).
    ///
    /// # Errors
    /// `INVALID_REQUEST` where nothing in it is visible.
    pub fn parse(field: &str, text: Text<MESSAGE_MAX_CHARS>) -> Result<Self> {
        if text.as_str().chars().all(|c| c.is_whitespace() || c.is_control()) {
            return Err(Error::invalid(field, "minLength", "must contain a visible character"));
        }
        Ok(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// A commit of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitRecord {
    /// Git's own id of it.
    pub hash: CommitHash,
    /// The commits that it follows: none for the first, two for a merge, whose own line is the first's.
    pub parents: Vec<CommitHash>,
    /// Who committed.
    pub author: Author,
    /// Why.
    pub message: String,
    /// When, to the second.
    pub created_at: Timestamp,
}

/// Who committed, as Git names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Author {
    /// Display name.
    pub name: String,
    /// Email address.
    pub email: String,
}

impl From<Signature> for Author {
    fn from(signature: Signature) -> Self {
        let Signature { name, email, .. } = signature;
        Self { name, email }
    }
}

/// A branch of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchRecord {
    /// Name, unique in the project; two may differ in case alone.
    pub name: BranchName,
    /// The commit that it is at; 40 zeros before its first.
    pub commit_hash: CommitHash,
    /// Whether a bare project id means it.
    pub is_default: bool,
    /// Whether it holds uncommitted changes.
    pub has_changes: bool,
    /// When it was created.
    pub created_at: Timestamp,
}
