//! Accounts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::UserId;
use crate::text::{Name, Slug};
use crate::time::Timestamp;

/// The account of the calling user.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Id.
    pub id: UserId,
    /// Email address.
    pub email: String,
    /// The address in the user's new commits: one that stands for the user, or its own.
    pub commit_email: String,
    /// True if commits have the user's own address, which everybody who reads a project then sees.
    pub show_email_in_commits: bool,
    /// Display name.
    pub name: Name,
    /// Its name in URLs.
    pub slug: Slug,
    /// Time of creation.
    pub created_at: Timestamp,
}
