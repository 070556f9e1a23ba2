//! Commits.

use domain::commit::{CommitRecord, MESSAGE_MAX_CHARS};
use domain::page::PageMeta;
use domain::text::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One commit.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CommitResponse {
    /// The commit.
    pub commit: CommitRecord,
}

/// The commit's message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateCommitRequest {
    /// The commit's message.
    #[schemars(extend("format" = "visible-text"))]
    pub message: Text<MESSAGE_MAX_CHARS>,
}

/// A page of commits, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListCommitsResponse {
    /// The commits.
    pub commits: Vec<CommitRecord>,
    /// The page.
    pub meta: PageMeta,
}
