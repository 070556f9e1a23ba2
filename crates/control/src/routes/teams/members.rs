//! Members of a team.

pub mod list;
pub mod put;
pub mod remove;

use domain::id::{OrganizationId, TeamId, UserId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::TeamRef;

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

impl TeamMemberPath {
    /// The team of the path.
    fn target(&self) -> TeamRef {
        TeamRef { organization: self.org_id, team: self.team_id }
    }
}
