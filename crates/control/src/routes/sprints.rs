//! Sprints of a team.

pub mod complete;
pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod report;
pub mod start;
pub mod update;

use api::sprints::SprintResponse;
use domain::id::{OrganizationId, SprintId, TeamId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Sprint, SprintRef, TeamRef};
use wire::{Endpoint, Resource, delete, get, patch, post};

use crate::app::App;

/// The endpoints of sprints.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/orgs/{orgId}/teams/{teamId}/sprints").with([
        get("", "listSprints", "List a team's sprints", list::handle).tool("teams").everyday(),
        post("", "createSprint", "Create a sprint", create::handle).tool("teams").everyday(),
        get("/{sprintId}", "getSprint", "Read a sprint", get::handle).tool("teams"),
        patch("/{sprintId}", "updateSprint", "Change a sprint", update::handle).conditional().tool("teams"),
        delete("/{sprintId}", "deleteSprint", "Delete a planned sprint", delete::handle)
            .conditional()
            .tool("teams"),
        post("/{sprintId}/start", "startSprint", "Start a planned sprint", start::handle)
            .conditional()
            .tool("teams")
            .everyday(),
        post("/{sprintId}/complete", "completeSprint", "Complete an active sprint", complete::handle)
            .conditional()
            .tool("teams")
            .everyday(),
        get("/{sprintId}/report", "getSprintReport", "Read a sprint's report", report::handle)
            .tool("teams")
            .everyday(),
    ])
}

/// The path of an operation on one sprint.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SprintPath {
    /// The organization.
    org_id: OrganizationId,
    /// The team.
    team_id: TeamId,
    /// The sprint.
    sprint_id: SprintId,
}

/// The answer for a locked sprint.
fn answer<P>(sprint: &Sprint<P>) -> SprintResponse {
    SprintResponse { sprint: sprint.record.clone() }
}

impl SprintPath {
    fn target(&self) -> SprintRef {
        let team = TeamRef { organization: self.org_id, team: self.team_id };
        SprintRef { team, sprint: self.sprint_id }
    }
}
