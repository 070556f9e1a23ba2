//! The caller's account: keys, invitations, models, usage.

use api::api_keys::{
    CreateApiKeyRequest, GetApiKeyResponse, IssuedKey, ListApiKeysResponse, RevokeApiKeyResponse,
    RotateApiKeyRequest,
};
use api::invitations::{AcceptInvitationRequest, ListOwnInvitationsResponse};
use api::me::{GetMeResponse, SignOutRequest, SignOutResponse, UpdateMeRequest};
use api::models::ListModelsResponse;
use api::organizations::OrganizationResponse;
use api::page::PageQuery;
use api::sign_in::ProtectedResource;
use api::usage::UsageQuery;
use domain::id::{ApiKeyId, OrganizationId};
use domain::usage::report::UsageReport;
use serde_json::Value;

operations! {
    /// Reads the caller's account.
    get_me "getMe" Repeatable GET "/api/v2/me"
        () => GetMeResponse;
    /// Changes the caller's account.
    update_me "updateMe" Repeatable PATCH "/api/v2/me"
        () body UpdateMeRequest => GetMeResponse;
    /// Ends the browser token of the client, or all of its user.
    sign_out "signOut" Changes POST "/api/v2/me/sign-out"
        () body SignOutRequest => SignOutResponse;
    /// Lists the models that can answer prompts.
    list_models "listModels" Repeatable GET "/api/v2/models"
        () => ListModelsResponse;
    /// Reports the usage of the caller's account.
    get_usage "getUsage" Repeatable GET "/api/v2/usage"
        () query UsageQuery => UsageReport;
    /// Reports the usage of an organization.
    get_organization_usage "getOrganizationUsage" Repeatable GET "/api/v2/orgs/{orgId}/usage"
        (organization: OrganizationId) query UsageQuery => UsageReport;
    /// Finds the authorization server of this service.
    get_protected_resource "getProtectedResource" Repeatable GET "/.well-known/oauth-protected-resource"
        () => ProtectedResource;
    /// Reads the control plane's OpenAPI document.
    get_openapi "getOpenapi" Repeatable GET "/api/v2/openapi.json"
        () => Value;
    /// Lists the caller's API keys.
    list_api_keys "listApiKeys" Repeatable GET "/api/v2/api-keys"
        () query PageQuery => ListApiKeysResponse;
    /// Issues an API key.
    create_api_key "createApiKey" Creates POST "/api/v2/api-keys"
        () body CreateApiKeyRequest => IssuedKey;
    /// Reads an API key.
    get_api_key "getApiKey" Repeatable GET "/api/v2/api-keys/{keyId}"
        (key: ApiKeyId) => GetApiKeyResponse;
    /// Rotates an API key.
    rotate_api_key "rotateApiKey" Creates POST "/api/v2/api-keys/{keyId}/rotate"
        (key: ApiKeyId) body RotateApiKeyRequest => IssuedKey;
    /// Revokes an API key.
    revoke_api_key "revokeApiKey" Repeatable DELETE "/api/v2/api-keys/{keyId}"
        (key: ApiKeyId) => RevokeApiKeyResponse;
    /// Lists the invitations to the caller's address.
    list_own_invitations "listOwnInvitations" Repeatable GET "/api/v2/invitations"
        () query PageQuery => ListOwnInvitationsResponse;
    /// Accepts an invitation.
    accept_invitation "acceptInvitation" Changes POST "/api/v2/invitations/accept"
        () body AcceptInvitationRequest => OrganizationResponse;
}
