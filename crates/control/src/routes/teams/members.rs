//! Members of a team.

pub mod list;
pub mod put;
pub mod remove;

use domain::id::{OrganizationId, TeamId, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::TeamRef;
use store::members::of_teams::TeamMember;

/// The path of an operation on one member.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamMemberPath {
    /// The organization.
    org_id: OrganizationId,
    /// The team.
    team_id: TeamId,
    /// The member's user id.
    member_id: UserId,
}

/// One member.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TeamMemberResponse")]
pub struct TeamMemberAnswer {
    /// The member.
    member: TeamMember,
}

impl TeamMemberPath {
    /// The team of the path.
    fn target(&self) -> TeamRef {
        TeamRef { organization: self.org_id, team: self.team_id }
    }
}
