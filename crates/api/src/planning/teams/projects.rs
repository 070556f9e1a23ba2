//! Projects linked to teams.

use std::collections::BTreeMap;

use domain::content::project::ProjectRef;
use domain::id::{CardId, HistoryId, OrganizationId, ProjectId, TeamId};
use domain::page::PageMeta;
use domain::planning::team::LinkedProject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::page::PageQuery;
use crate::planning::teams::TeamPath;
use crate::{operations, tags};

operations! {
    tag: tags::TEAMS;

    /// Lists the projects whose cards the team can take onto its board.
    ListTeamProjects = Get "/api/v2/orgs/{orgId}/teams/{teamId}/projects" {
        summary: "List the projects linked to a team",
        path: TeamPath,
        query: PageQuery,
        answer: ListTeamProjectsResponse,
        effect: Reads,
        tool: Toolbox("teams"),
    }

    /// Links a project of the same organization to the team. It also needs the right to write the project's cards.
    LinkProject = Put "/api/v2/orgs/{orgId}/teams/{teamId}/projects/{projectId}" {
        summary: "Link a project to a team",
        path: TeamProjectPath,
        answer: LinkProjectResponse,
        effect: Idempotent,
        tool: Toolbox("teams"),
    }

    /// Ends a link. Cards of the project leave the board. It also needs the right to write them.
    UnlinkProject = Delete "/api/v2/orgs/{orgId}/teams/{teamId}/projects/{projectId}" {
        summary: "End a project's link to a team",
        path: TeamProjectPath,
        answer: UnlinkProjectResponse,
        effect: Idempotent,
        tool: Toolbox("teams"),
    }
}

/// The linked project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LinkProjectResponse {
    /// The project.
    pub project: LinkedProject,
}

/// A page of linked projects, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListTeamProjectsResponse {
    /// The projects.
    pub projects: Vec<LinkedProject>,
    /// The page.
    pub meta: PageMeta,
}

/// The ended link.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnlinkProjectResponse {
    /// Always true.
    pub deleted: bool,
    /// The team.
    pub team_id: TeamId,
    /// The project.
    pub project_id: ProjectId,
    /// Number of the project's cards that were on the team's board.
    pub removed_placements: usize,
    /// Their latest history rows, by card id.
    pub history_heads: BTreeMap<CardId, HistoryId>,
}

/// The path of a project's link to a team.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamProjectPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The team.
    pub team_id: TeamId,
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
}
