//! Commits and branches, as clients read them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::object::{CommitHash, Signature};
use crate::content::project::BranchName;
use crate::text::{Text, is_blank};
use crate::time::Timestamp;
use crate::{Error, Result, Rule};

/// Longest message of a commit, in characters.
pub const MESSAGE_MAX_CHARS: usize = 10_000;

/// The message of a commit; never blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMessage(Text<MESSAGE_MAX_CHARS>);

impl CommitMessage {
    /// The message in a request's field `field`.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if it has no visible character.
    pub fn parse(field: &str, text: Text<MESSAGE_MAX_CHARS>) -> Result<Self> {
        if is_blank(text.as_str()) {
            return Err(Error::broken(field, Rule::format("visible-text")));
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
    /// Git's id of the commit.
    pub hash: CommitHash,
    /// Parents: none for the first commit, two for a merge, whose first parent is the branch's previous commit.
    pub parents: Vec<CommitHash>,
    /// Author, who is also the committer.
    pub author: Author,
    /// Message.
    pub message: String,
    /// Time, to the second.
    pub created_at: Timestamp,
}

/// A commit that names a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardCommit {
    /// Git's id of the commit.
    pub commit_hash: CommitHash,
    /// First line of its message that is not blank.
    pub message: String,
    /// Author.
    pub author: Author,
    /// Time, to the second.
    pub committed_at: Timestamp,
    /// True if it closes the card on the default branch.
    pub closes: bool,
}

impl CardCommit {
    /// A commit as a card lists it.
    pub fn new(commit: CommitRecord, closes: bool) -> Self {
        let CommitRecord { hash, author, message, created_at, .. } = commit;
        let message = message.lines().find(|line| !is_blank(line)).unwrap_or_default().to_owned();
        Self { commit_hash: hash, message, author, committed_at: created_at, closes }
    }
}

/// A Git author.
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
    /// Name, unique in the project; case matters.
    pub name: BranchName,
    /// Last commit; 40 zeros before the first.
    pub commit_hash: CommitHash,
    /// True for the project's default branch, which a bare project id selects.
    pub is_default: bool,
    /// True if it has uncommitted changes.
    pub has_changes: bool,
    /// Time of creation.
    pub created_at: Timestamp,
}
