//! Records of invitations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{InvitationId, OrganizationId, UserId};
use crate::people::role::OrganizationRole;
use crate::text::Name;
use crate::time::Timestamp;

/// State of the mail to the address of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum InvitationMailState {
    /// It will be sent. After a failure it is tried again for half a day.
    Due,
    /// The mail server has taken it.
    Sent,
    /// None is sent: a limit of mails in a day is reached.
    Limited,
    /// The mail server refuses it, or did not take it within half a day.
    Failed,
}

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
    /// The mail to that address; absent in a deployment without a mail server, and for the invited person. Unless it is
    /// `due` or `sent`, hand the invitation over yourself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mail: Option<InvitationMailState>,
    /// The member who invites.
    pub invited_by: UserId,
    /// The name of that member; absent in a repeated answer that an earlier version recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_by_name: Option<Name>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of expiry.
    pub expires_at: Timestamp,
}
