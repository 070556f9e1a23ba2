//! Teams of an organization, with the columns of their boards and their linked projects.

pub mod available_cards;
pub mod create;
pub mod delete;
pub mod events;
pub mod get;
pub mod list;
pub mod members;
pub mod projects;
pub mod statuses;
pub mod update;

use api::teams::TeamResponse;
use domain::id::{OrganizationId, TeamId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Team, TeamRef};
use wire::{Endpoint, Resource, delete, get, patch, post, put};

use crate::app::App;

/// The endpoints of teams, their columns and their projects.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/orgs/{orgId}/teams").with([
        get("", "listTeams", "List an organization's teams", list::handle).tool("teams").everyday(),
        post("", "createTeam", "Create a team", create::handle).not_a_tool("administers the organization"),
        get("/{teamId}", "getTeam", "Read a team", get::handle).tool("teams"),
        patch("/{teamId}", "updateTeam", "Change a team", update::handle)
            .conditional()
            .not_a_tool("administers the organization"),
        delete("/{teamId}", "deleteTeam", "Delete a team", delete::handle)
            .conditional()
            .not_a_tool("administers the organization"),
        get(
            "/{teamId}/statuses",
            "listStatuses",
            "List the status columns of a team's board",
            statuses::list::handle,
        )
        .tool("teams")
        .everyday(),
        post("/{teamId}/statuses", "createStatus", "Create a status column", statuses::create::handle)
            .tool("teams"),
        get("/{teamId}/statuses/{statusId}", "getStatus", "Read a status column", statuses::get::handle)
            .tool("teams"),
        patch(
            "/{teamId}/statuses/{statusId}",
            "updateStatus",
            "Change or move a status column",
            statuses::update::handle,
        )
        .conditional()
        .tool("teams"),
        delete(
            "/{teamId}/statuses/{statusId}",
            "deleteStatus",
            "Delete a status column",
            statuses::delete::handle,
        )
        .conditional()
        .tool("teams"),
        get("/{teamId}/events", "streamTeamEvents", "Follow a team's events", events::handle)
            .reads(&[("Last-Event-ID", "The `id` of the last event that the client has seen.")])
            .not_a_tool("is an endless stream"),
        get("/{teamId}/members", "listTeamMembers", "List a team's members", members::list::handle)
            .not_a_tool("a project's members are those to whom its cards are assigned"),
        put(
            "/{teamId}/members/{memberId}",
            "putTeamMember",
            "Make a user a member of a team",
            members::put::handle,
        )
        .not_a_tool("administers the organization"),
        delete(
            "/{teamId}/members/{memberId}",
            "removeTeamMember",
            "End a membership of a team",
            members::remove::handle,
        )
        .not_a_tool("administers the organization"),
        get(
            "/{teamId}/available-cards",
            "listAvailableCards",
            "Search the cards that a team can take onto its board",
            available_cards::handle,
        )
        .closed_statuses()
        .tool("teams")
        .everyday(),
        get(
            "/{teamId}/projects",
            "listTeamProjects",
            "List the projects linked to a team",
            projects::list::handle,
        )
        .tool("teams"),
        put(
            "/{teamId}/projects/{projectId}",
            "linkProject",
            "Link a project to a team",
            projects::link::handle,
        )
        .tool("teams"),
        delete(
            "/{teamId}/projects/{projectId}",
            "unlinkProject",
            "End a project's link to a team",
            projects::unlink::handle,
        )
        .tool("teams"),
    ])
}

/// The path of an operation on one team.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamPath {
    /// The organization.
    org_id: OrganizationId,
    /// The team.
    team_id: TeamId,
}

/// The answer for a locked team.
fn answer<P>(team: &Team<P>) -> TeamResponse {
    TeamResponse { team: team.record.clone() }
}

impl TeamPath {
    /// The target of the path.
    pub fn target(&self) -> TeamRef {
        TeamRef { organization: self.org_id, team: self.team_id }
    }
}
