//! Invitations of organizations.

use domain::id::{InvitationId, OrganizationId};
use domain::page::PageMeta;
use domain::people::email::EmailAddress;
use domain::people::invitation::InvitationRecord;
use domain::people::role::OrganizationRole;
use domain::secret::Secret;
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::page::PageQuery;
use crate::people::organizations::{FOR_PEOPLE, OrganizationPath};
use crate::{operations, tags};

operations! {
    tag: tags::INVITATIONS;

    /// Lists the open invitations of an organization, the newest first, without their secrets.
    ListInvitations = Get "/api/v2/orgs/{orgId}/invitations" {
        summary: "List an organization's open invitations",
        path: OrganizationPath,
        query: PageQuery,
        answer: ListInvitationsResponse,
        effect: Reads,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Invites a person to an organization. The answer shows the secret once. With `email` only the account with this
    /// address can accept, also without the secret, and the open invitation to that address ends; a member's is
    /// `ALREADY_MEMBER`. It expires after 7 days by default, 30 at most. Only owners invite owners. Too many open ones
    /// are `LIMIT_REACHED`. A repeat with the same `Idempotency-Key` shows a new secret.
    CreateInvitation = Post "/api/v2/orgs/{orgId}/invitations" {
        summary: "Invite a person",
        path: OrganizationPath,
        body: Json<CreateInvitationRequest>,
        answer: CreateInvitationResponse,
        effect: Creates,
        tool: NotATool(FOR_PEOPLE),
        also: secret(),
    }

    /// Ends an open invitation at once. Of a revocation and an acceptance at the same moment exactly one succeeds.
    RevokeInvitation = Delete "/api/v2/orgs/{orgId}/invitations/{invitationId}" {
        summary: "Revoke an invitation",
        path: InvitationPath,
        answer: RevokeInvitationResponse,
        effect: Idempotent,
        tool: NotATool(FOR_PEOPLE),
    }
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

/// The path of an operation on one invitation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The invitation.
    pub invitation_id: InvitationId,
}
