//! Records of invitations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{InvitationId, OrganizationId, UserId};
use crate::role::OrganizationRole;
use crate::text::Name;
use crate::time::Timestamp;

/// An open invitation, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationRecord {
    /// Id.
    pub id: InvitationId,
    /// The organization.
    pub org_id: OrganizationId,
    /// The organization's name.
    pub org_name: Name,
    /// The role that it gives.
    pub role: OrganizationRole,
    /// The address of the only account that may accept it; absent if the bearer of its secret may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The member who invites.
    pub invited_by: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of expiry.
    pub expires_at: Timestamp,
}
