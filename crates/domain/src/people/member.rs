//! Members of organizations, projects and teams.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::UserId;
use crate::people::role::{OrganizationRole, ProjectRole, TeamRole};
use crate::text::{Name, Slug};
use crate::time::Timestamp;

/// A kind of member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemberKind {
    /// A person, who signs in.
    Person,
    /// A service account of the organization, which acts by its API keys alone.
    Service,
}

/// A member of an organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationMember {
    /// The user, as `assigneeId` and other fields name it.
    pub user_id: UserId,
    /// Display name.
    pub name: Name,
    /// A person or a service account.
    pub kind: MemberKind,
    /// Role in the organization.
    pub role: OrganizationRole,
    /// Email address of a person; only admins and owners see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Time at which the user joined.
    pub joined_at: Timestamp,
    /// The member who made a service account, if it is known; only admins and owners see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserId>,
}

/// A user with a role on a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectMember {
    /// The user, as `assigneeId` and other fields name it.
    pub user_id: UserId,
    /// Display name.
    pub name: Name,
    /// Mentions the user in texts, behind `@`.
    pub handle: Slug,
    /// A person or a service account.
    pub kind: MemberKind,
    /// The greatest of the user's roles on the project.
    pub role: ProjectRole,
    /// True for a membership of the project itself, which can be ended. Other roles come from ownership or the
    /// organization.
    pub is_direct: bool,
}

/// A member of a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamMember {
    /// The user, as `assigneeId` and other fields name it.
    pub user_id: UserId,
    /// Display name.
    pub name: Name,
    /// A person or a service account.
    pub kind: MemberKind,
    /// Role in the team.
    pub role: TeamRole,
}
