//! Teams of an organization: themselves, the columns of their boards, and the projects that are linked to them.

pub mod available_cards;
pub mod create;
pub mod delete;
pub mod get;
pub mod list;
mod project_ids;
pub mod projects;
pub mod statuses;
pub mod update;

use domain::id::{OrganizationId, TeamId};
use domain::team::TeamRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Team, TeamRef};

/// The path of an operation on one team.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamPath {
    /// The organization.
    org_id: OrganizationId,
    /// The team.
    team_id: TeamId,
}

/// One team.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TeamResponse")]
pub struct TeamAnswer {
    /// The team.
    team: TeamRecord,
}

impl TeamAnswer {
    /// A team as it is held.
    fn of<P>(team: &Team<P>) -> Self {
        Self { team: team.record.clone() }
    }
}

impl TeamPath {
    /// What it names.
    pub fn target(&self) -> TeamRef {
        TeamRef { organization: self.org_id, team: self.team_id }
    }
}
