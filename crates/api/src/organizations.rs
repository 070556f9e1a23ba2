//! Organizations with their members, invitations and service accounts.

use domain::api_key::MadeKey;
use domain::email::EmailAddress;
use domain::id::{InvitationId, OrganizationId, UserId};
use domain::invitation::InvitationRecord;
use domain::member::OrganizationMember;
use domain::organization::OrganizationRecord;
use domain::page::PageMeta;
use domain::permission::Scope;
use domain::role::OrganizationRole;
use domain::secret::Secret;
use domain::text::Name;
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One organization.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OrganizationResponse {
    /// The organization.
    pub organization: OrganizationRecord,
}

/// An organization to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateOrganizationRequest {
    /// Name. Its name in URLs is made of it, and stays.
    pub name: Name,
}

/// The deleted organization.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteOrganizationResponse {
    /// Always true.
    pub deleted: bool,
    /// The organization.
    pub org_id: OrganizationId,
}

/// An invitation to make.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateInvitationRequest {
    /// The role that it gives. Only owners invite owners.
    pub role: OrganizationRole,
    /// The address of the only account that may accept it. Without it, the bearer of the secret may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<EmailAddress>,
    /// Expiry, at most 30 days ahead; a day means its end in UTC. Defaults to 7 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateOrTime>,
}

/// An invitation with its secret, which is shown only once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CreateInvitationResponse {
    /// The invitation.
    pub invitation: InvitationRecord,
    /// The secret to hand to the person. It is not stored and can't be shown again.
    pub secret: Secret,
}

/// A page of open invitations, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListInvitationsResponse {
    /// The invitations.
    pub invitations: Vec<InvitationRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// The revoked invitation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevokeInvitationResponse {
    /// Always true.
    pub deleted: bool,
    /// The invitation.
    pub invitation_id: InvitationId,
}

/// A page of organizations, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListOrganizationsResponse {
    /// The organizations.
    pub organizations: Vec<OrganizationRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// One member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OrganizationMemberResponse {
    /// The member.
    pub member: OrganizationMember,
}

/// A removed member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedMemberResponse {
    /// Always true.
    pub removed: bool,
    /// The user who was a member.
    pub user_id: UserId,
}

/// A member who was removed from an organization.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedOrganizationMemberResponse {
    /// Always true.
    pub removed: bool,
    /// The user who was a member.
    pub user_id: UserId,
    /// The keys that the user made for service accounts and that could be used until now; only admins and owners see
    /// them.
    pub service_keys: Vec<MadeKey>,
    /// True if these keys are revoked.
    pub keys_revoked: bool,
}

/// The handling of what a removed member made.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("additionalProperties" = false))]
pub struct RemoveMemberQuery {
    /// True to revoke the keys that the member made for service accounts; default false.
    pub revoke_keys: Option<bool>,
}

/// A page of members, in the order of their ids.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListMembersResponse {
    /// The members.
    pub members: Vec<OrganizationMember>,
    /// The page.
    pub meta: PageMeta,
}

/// The new role.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateMemberRequest {
    /// Role in the organization. Only owners make owners.
    pub role: OrganizationRole,
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

/// The new name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateOrganizationRequest {
    /// Name. The organization's name in URLs stays.
    pub name: Name,
}
