//! Organizations, as their members see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::OrganizationId;
use crate::text::{Name, Slug};
use crate::time::Timestamp;

/// An organization with the caller's role in it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Organization")]
pub struct OrganizationRecord {
    /// Id.
    pub id: OrganizationId,
    /// Name.
    pub name: Name,
    /// Name in URLs.
    pub slug: Slug,
    /// The caller's role in it: `guest`, `member`, `admin` or `owner`.
    pub role: String,
    /// Time of creation.
    pub created_at: Timestamp,
}
