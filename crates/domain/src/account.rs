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
    /// Display name.
    pub name: Name,
    /// Its name in URLs.
    pub slug: Slug,
    /// Time of creation.
    pub created_at: Timestamp,
}
