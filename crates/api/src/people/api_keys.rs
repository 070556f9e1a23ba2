//! API keys.

use domain::id::{ApiKeyId, OrganizationId, ProjectId};
use domain::page::PageMeta;
use domain::people::api_key::ApiKeyRecord;
use domain::people::permission::Scope;
use domain::secret::Secret;
use domain::text::Name;
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::page::PageQuery;
use crate::{operations, tags};

operations! {
    tag: tags::API_KEYS;

    /// Lists the caller's keys that can be used, without their secrets.
    ListApiKeys = Get "/api/v2/api-keys" {
        summary: "List the caller's API keys",
        query: PageQuery,
        answer: ListApiKeysResponse,
        effect: Reads,
        tool: NotATool("credentials are for people"),
    }

    /// Issues a key with scopes, an expiry (90 days by default, 365 at most) and, if wanted, the projects and
    /// organizations that it is confined to. The answer shows the secret once. A repeat with the same `Idempotency-Key`
    /// shows a new secret. Too many keys of a user are `LIMIT_REACHED`.
    CreateApiKey = Post "/api/v2/api-keys" {
        summary: "Issue an API key",
        body: Json<CreateApiKeyRequest>,
        answer: IssuedKey,
        effect: Creates,
        tool: NotATool("credentials are for people"),
        also: secret(),
    }

    /// Answers a key's name, scopes, expiry and last use, without its secret.
    GetApiKey = Get "/api/v2/api-keys/{keyId}" {
        summary: "Read an API key",
        path: KeyPath,
        answer: GetApiKeyResponse,
        effect: Reads,
        tool: NotATool("credentials are for people"),
    }

    /// Issues a successor with the same name, scopes and confinement. The old key works for `graceSeconds` more;
    /// without them it ends at once. Both count while the old one works: `LIMIT_REACHED`. Use it to replace a key
    /// without an interruption.
    RotateApiKey = Post "/api/v2/api-keys/{keyId}/rotate" {
        summary: "Rotate an API key",
        path: KeyPath,
        body: Option<Json<RotateApiKeyRequest>>,
        answer: IssuedKey,
        effect: Creates,
        tool: NotATool("credentials are for people"),
        also: conditional(), secret(),
    }

    /// Ends a key at once, and with it the grants that it opened. Streams and uploads in progress are cut off within a
    /// second.
    RevokeApiKey = Delete "/api/v2/api-keys/{keyId}" {
        summary: "Revoke an API key",
        path: KeyPath,
        answer: RevokeApiKeyResponse,
        effect: Idempotent,
        tool: NotATool("credentials are for people"),
        also: conditional(),
    }
}

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

/// The path of an operation on one key.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyPath {
    /// The key's id.
    pub key_id: ApiKeyId,
}
