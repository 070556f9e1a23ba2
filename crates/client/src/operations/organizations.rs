//! Organizations with their people.

use api::api_keys::{IssuedKey, ListApiKeysResponse, RevokeApiKeyResponse};
use api::audit::{AuditQuery, AuditResponse};
use api::organizations::{
    CreateInvitationRequest, CreateInvitationResponse, CreateOrganizationRequest,
    CreateServiceAccountKeyRequest, CreateServiceAccountRequest, DeleteOrganizationResponse,
    ListInvitationsResponse, ListMembersResponse, ListOrganizationsResponse, OrganizationMemberResponse,
    OrganizationResponse, RemoveMemberQuery, RemovedOrganizationMemberResponse, RevokeInvitationResponse,
    UpdateMemberRequest, UpdateOrganizationRequest,
};
use api::page::{MemberQuery, PageQuery};
use domain::id::{ApiKeyId, InvitationId, OrganizationId, UserId};

operations! {
    /// Lists the caller's organizations.
    list_organizations "listOrganizations" Repeatable GET "/api/v2/orgs"
        () query PageQuery => ListOrganizationsResponse;
    /// Creates an organization.
    create_organization "createOrganization" Creates POST "/api/v2/orgs"
        () body CreateOrganizationRequest => OrganizationResponse;
    /// Reads an organization.
    get_organization "getOrganization" Repeatable GET "/api/v2/orgs/{orgId}"
        (organization: OrganizationId) => OrganizationResponse;
    /// Renames an organization.
    update_organization "updateOrganization" Changes PATCH "/api/v2/orgs/{orgId}"
        (organization: OrganizationId) body UpdateOrganizationRequest => OrganizationResponse;
    /// Deletes an organization.
    delete_organization "deleteOrganization" Repeatable DELETE "/api/v2/orgs/{orgId}"
        (organization: OrganizationId) => DeleteOrganizationResponse;
    /// Lists an organization's members.
    list_members "listMembers" Repeatable GET "/api/v2/orgs/{orgId}/members"
        (organization: OrganizationId) query MemberQuery => ListMembersResponse;
    /// Reads a member.
    get_member "getMember" Repeatable GET "/api/v2/orgs/{orgId}/members/{memberId}"
        (organization: OrganizationId, member: UserId) => OrganizationMemberResponse;
    /// Changes a member's role.
    update_member "updateMember" Changes PATCH "/api/v2/orgs/{orgId}/members/{memberId}"
        (organization: OrganizationId, member: UserId) body UpdateMemberRequest => OrganizationMemberResponse;
    /// Removes a member, or leaves the organization.
    remove_member "removeMember" Repeatable DELETE "/api/v2/orgs/{orgId}/members/{memberId}"
        (organization: OrganizationId, member: UserId) query RemoveMemberQuery => RemovedOrganizationMemberResponse;
    /// Lists an organization's open invitations.
    list_invitations "listInvitations" Repeatable GET "/api/v2/orgs/{orgId}/invitations"
        (organization: OrganizationId) query PageQuery => ListInvitationsResponse;
    /// Invites a person.
    create_invitation "createInvitation" Creates POST "/api/v2/orgs/{orgId}/invitations"
        (organization: OrganizationId) body CreateInvitationRequest => CreateInvitationResponse;
    /// Revokes an invitation.
    revoke_invitation "revokeInvitation" Repeatable DELETE "/api/v2/orgs/{orgId}/invitations/{invitationId}"
        (organization: OrganizationId, invitation: InvitationId) => RevokeInvitationResponse;
    /// Creates a service account.
    create_service_account "createServiceAccount" Creates POST "/api/v2/orgs/{orgId}/service-accounts"
        (organization: OrganizationId) body CreateServiceAccountRequest => OrganizationMemberResponse;
    /// Lists a service account's API keys.
    list_service_account_keys "listServiceAccountKeys" Repeatable GET "/api/v2/orgs/{orgId}/service-accounts/{accountId}/keys"
        (organization: OrganizationId, account: UserId) query PageQuery => ListApiKeysResponse;
    /// Issues an API key to a service account.
    create_service_account_key "createServiceAccountKey" Creates POST "/api/v2/orgs/{orgId}/service-accounts/{accountId}/keys"
        (organization: OrganizationId, account: UserId) body CreateServiceAccountKeyRequest => IssuedKey;
    /// Revokes a service account's API key.
    revoke_service_account_key "revokeServiceAccountKey" Repeatable DELETE "/api/v2/orgs/{orgId}/service-accounts/{accountId}/keys/{keyId}"
        (organization: OrganizationId, account: UserId, key: ApiKeyId) => RevokeApiKeyResponse;
    /// Reads an organization's audit log.
    get_organization_audit "getOrganizationAudit" Repeatable GET "/api/v2/orgs/{orgId}/audit"
        (organization: OrganizationId) query AuditQuery => AuditResponse;
}
