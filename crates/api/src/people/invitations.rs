//! Invitations to the caller.

use domain::id::InvitationId;
use domain::page::PageMeta;
use domain::people::invitation::InvitationRecord;
use domain::secret::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::page::PageQuery;
use crate::people::organizations::OrganizationResponse;
use crate::{operations, tags};

operations! {
    tag: tags::INVITATIONS;

    /// Lists the open invitations to the email address of the caller's account, the newest first.
    ListOwnInvitations = Get "/api/v2/invitations" {
        summary: "List the invitations to the caller's address",
        query: PageQuery,
        answer: ListOwnInvitationsResponse,
        effect: Reads,
        tool: NotATool("people decide which organizations they join"),
    }

    /// Answers the invitation of a secret, before its bearer joins: organization, inviter and role. One that the caller
    /// can't accept is a 400 on its field, as `acceptInvitation` answers it.
    LookUpInvitation = Post "/api/v2/invitations/lookup" {
        summary: "Look up an invitation by its secret",
        body: Json<LookUpInvitationRequest>,
        answer: LookUpInvitationResponse,
        effect: Reads,
        tool: NotATool("people decide which organizations they join"),
    }

    /// Makes the caller a member, by the `secret` of an invitation or by the `invitationId` of one to the caller's
    /// address. Other open invitations to that address end. One that can't be used, or was open when the caller left
    /// the organization, is a 400 on its field. A member is `ALREADY_MEMBER`, and the invitation stays open.
    AcceptInvitation = Post "/api/v2/invitations/accept" {
        summary: "Accept an invitation",
        body: Json<AcceptInvitationRequest>,
        answer: OrganizationResponse,
        effect: Changes,
        tool: NotATool("people decide which organizations they join"),
    }
}

/// The invitation: one of the two fields.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptInvitationRequest {
    /// The secret of the invitation.
    #[schemars(length(max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    /// An invitation to the address of the caller's account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invitation_id: Option<InvitationId>,
}

/// The secret of an invitation, which belongs in no address.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LookUpInvitationRequest {
    /// The secret.
    #[schemars(length(max = 255))]
    pub secret: Secret,
}

/// The invitation of a secret.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LookUpInvitationResponse {
    /// The invitation.
    pub invitation: InvitationRecord,
}

/// A page of open invitations, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListOwnInvitationsResponse {
    /// The invitations.
    pub invitations: Vec<InvitationRecord>,
    /// The page.
    pub meta: PageMeta,
}
