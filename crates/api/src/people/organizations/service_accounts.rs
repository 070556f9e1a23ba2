//! Service accounts of organizations, and their API keys.

use domain::id::{ApiKeyId, OrganizationId, UserId};
use domain::people::permission::Scope;
use domain::people::role::OrganizationRole;
use domain::text::Name;
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::page::PageQuery;
use crate::people::api_keys::{IssuedKey, ListApiKeysResponse, RevokeApiKeyResponse};
use crate::people::organizations::members::OrganizationMemberResponse;
use crate::people::organizations::{FOR_PEOPLE, OrganizationPath};
use crate::{operations, tags};

operations! {
    tag: tags::SERVICE_ACCOUNTS;

    /// Creates a service account with a role of `guest`, `member` or `admin`. It is a member of kind `service`: its
    /// role is changed, and it is deleted, as a member. An organization has a limited number: `LIMIT_REACHED`.
    CreateServiceAccount = Post "/api/v2/orgs/{orgId}/service-accounts" {
        summary: "Create a service account",
        path: OrganizationPath,
        body: Json<CreateServiceAccountRequest>,
        answer: OrganizationMemberResponse,
        effect: Creates,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Lists the keys of a service account that can be used, without their secrets.
    ListServiceAccountKeys = Get "/api/v2/orgs/{orgId}/service-accounts/{accountId}/keys" {
        summary: "List a service account's API keys",
        path: ServiceAccountPath,
        query: PageQuery,
        answer: ListApiKeysResponse,
        effect: Reads,
        tool: NotATool("credentials are for people"),
    }

    /// Issues a key with scopes and an expiry (90 days by default, 365 at most). It reaches the organization alone. The
    /// answer shows the secret once. A repeat with the same `Idempotency-Key` shows a new secret for the same key. A
    /// service account has a limited number of keys: `LIMIT_REACHED`.
    CreateServiceAccountKey = Post "/api/v2/orgs/{orgId}/service-accounts/{accountId}/keys" {
        summary: "Issue an API key to a service account",
        path: ServiceAccountPath,
        body: Json<CreateServiceAccountKeyRequest>,
        answer: IssuedKey,
        effect: Creates,
        tool: NotATool("credentials are for people"),
        also: secret(),
    }

    /// Ends a key at once, and with it the grants that it opened.
    RevokeServiceAccountKey = Delete "/api/v2/orgs/{orgId}/service-accounts/{accountId}/keys/{keyId}" {
        summary: "Revoke a service account's API key",
        path: ServiceKeyPath,
        answer: RevokeApiKeyResponse,
        effect: Idempotent,
        tool: NotATool("credentials are for people"),
    }
}

/// A service account to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateServiceAccountRequest {
    /// Display name, as members and histories show it.
    pub name: Name,
    /// Role in the organization: `guest`, `member` or `admin`.
    pub role: OrganizationRole,
}

/// A key to issue.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateServiceAccountKeyRequest {
    /// Display name.
    pub name: Name,
    /// Purpose of the key.
    #[schemars(length(min = 1))]
    pub scopes: Vec<Scope>,
    /// Expiry, at most 365 days ahead; a day means its end in UTC. Defaults to 90 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateOrTime>,
    /// True for a test key, `svc_ak_test_...`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
}

/// The path of an operation on one key of a service account.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceKeyPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The service account's user id.
    pub account_id: UserId,
    /// The key's id.
    pub key_id: ApiKeyId,
}

/// The path of an operation on one service account.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The service account's user id.
    pub account_id: UserId,
}
