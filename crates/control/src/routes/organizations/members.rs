//! Members of an organization: people and service accounts.

pub mod get;
pub mod list;
pub mod remove;
pub mod update;

use domain::id::{OrganizationId, UserId};
use schemars::JsonSchema;
use serde::Deserialize;

/// The path of an operation on one member.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The member's user id.
    pub member_id: UserId,
}
