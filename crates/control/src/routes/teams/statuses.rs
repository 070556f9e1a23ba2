//! The status columns of a team's board.

pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod update;

use api::teams::StatusResponse;
use domain::id::{OrganizationId, StatusId, TeamId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Status, StatusRef, TeamRef};

/// The path of an operation on one column.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusPath {
    /// The organization.
    org_id: OrganizationId,
    /// The team.
    team_id: TeamId,
    /// The column.
    status_id: StatusId,
}

/// The answer for a locked column.
fn answer<P>(status: &Status<P>) -> StatusResponse {
    StatusResponse { status: status.record.clone() }
}

impl StatusPath {
    fn target(&self) -> StatusRef {
        let team = TeamRef { organization: self.org_id, team: self.team_id };
        StatusRef { team, status: self.status_id }
    }
}
