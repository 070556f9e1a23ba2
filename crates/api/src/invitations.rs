//! Invitations to the caller.

use domain::id::InvitationId;
use domain::invitation::InvitationRecord;
use domain::page::PageMeta;
use domain::secret::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// A page of open invitations, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListOwnInvitationsResponse {
    /// The invitations.
    pub invitations: Vec<InvitationRecord>,
    /// The page.
    pub meta: PageMeta,
}
