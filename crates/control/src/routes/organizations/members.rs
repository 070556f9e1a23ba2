//! Members of an organization: people and service accounts.

pub mod get;
pub mod list;
pub mod remove;
pub mod update;

use domain::id::{OrganizationId, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::members::OrganizationMember;

/// The path of an operation on one member.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The member's user id.
    pub member_id: UserId,
}

/// One member.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OrganizationMemberResponse")]
pub struct MemberAnswer {
    /// The member.
    pub member: OrganizationMember,
}

/// A removed member.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RemovedMemberResponse")]
pub struct RemovedAnswer {
    /// Always true.
    pub removed: bool,
    /// The user who was a member.
    pub user_id: UserId,
}
