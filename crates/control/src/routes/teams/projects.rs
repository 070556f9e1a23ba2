//! The projects that are linked to a team.

pub mod link;
pub mod list;
pub mod unlink;

use domain::id::{OrganizationId, TeamId};
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use store::{TeamProjectRef, TeamRef};

/// The path of a project's link to a team.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamProjectPath {
    /// The organization.
    org_id: OrganizationId,
    /// The team.
    team_id: TeamId,
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
}

impl TeamProjectPath {
    fn target(&self) -> TeamProjectRef {
        let team = TeamRef { organization: self.org_id, team: self.team_id };
        TeamProjectRef { team, project: self.project_id.clone() }
    }
}
