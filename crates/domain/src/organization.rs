//! Organizations: what their members read of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::OrganizationId;
use crate::text::{Name, Slug};
use crate::time::Timestamp;

/// An organization's record.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    /// Id.
    pub id: OrganizationId,
    /// Name.
    pub name: Name,
    /// Its name in URLs.
    pub slug: Slug,
    /// The caller's role in it: `guest`, `member`, `admin` or `owner`.
    pub role: String,
    /// When it was created.
    pub created_at: Timestamp,
}
