//! Records of API keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{ApiKeyId, OrganizationId, ProjectId, UserId};
use crate::people::permission::Scope;
use crate::text::Name;
use crate::time::Timestamp;

/// A key's record, without the key itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyRecord {
    /// Id.
    pub id: ApiKeyId,
    /// Name.
    pub name: Name,
    /// The key's mode and last four characters, by which its owner recognises it.
    pub mask: String,
    /// Scopes.
    pub scopes: Vec<Scope>,
    /// The projects that it is confined to, beside those of `orgIds`; absent if it is not confined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_ids: Option<Vec<ProjectId>>,
    /// The organizations that it is confined to, with all projects; absent if it is not confined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_ids: Option<Vec<OrganizationId>>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The member who made the key of a service account; absent if it is unknown, and for a person's own key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserId>,
    /// Time of expiry.
    pub expires_at: Timestamp,
    /// Time of the last use, to the minute.
    pub last_used_at: Option<Timestamp>,
}

/// A usable key of a service account, as the removal of the member who made it lists it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MadeKey {
    /// The service account.
    pub user_id: UserId,
    /// The key.
    pub key_id: ApiKeyId,
    /// Name.
    pub name: Name,
    /// The key's mode and last four characters.
    pub mask: String,
}
