//! API keys.

use domain::api_key::ApiKeyRecord;
use domain::id::{ApiKeyId, OrganizationId, ProjectId};
use domain::page::PageMeta;
use domain::permission::Scope;
use domain::secret::Secret;
use domain::text::Name;
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A key with its secret, which is shown only once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssuedKey {
    /// The key's record.
    pub api_key: ApiKeyRecord,
    /// The key's secret. It is not stored and can't be shown again.
    pub key: Secret,
}

/// A key to issue.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateApiKeyRequest {
    /// Display name.
    pub name: Name,
    /// Purpose of the key.
    #[schemars(length(min = 1))]
    pub scopes: Vec<Scope>,
    /// Expiry, at most 365 days ahead; a day means its end in UTC. Defaults to 90 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateOrTime>,
    /// The projects to which the key is confined.
    #[schemars(length(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_ids: Option<Vec<ProjectId>>,
    /// The organizations to which the key is confined, with everything they own.
    #[schemars(length(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_ids: Option<Vec<OrganizationId>>,
    /// True for a test key, `svc_ak_test_...`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

/// One key.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetApiKeyResponse {
    /// The key's record.
    pub api_key: ApiKeyRecord,
}

/// A page of API keys, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListApiKeysResponse {
    /// The keys, without their secrets.
    pub api_keys: Vec<ApiKeyRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// The revoked key.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevokeApiKeyResponse {
    /// Always true.
    pub deleted: bool,
    /// The key.
    pub key_id: ApiKeyId,
}

impl RevokeApiKeyResponse {
    /// The answer to the revocation of a key.
    pub fn of(key_id: ApiKeyId) -> Self {
        Self { deleted: true, key_id }
    }
}

/// Options of the rotation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RotateApiKeyRequest {
    /// Remaining lifetime of the old key, in seconds. Defaults to 0.
    #[schemars(range(max = 2_592_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_seconds: Option<u32>,
}
