//! Teams of an organization. JSON names are in snake case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::project::Visibility;
use crate::id::{OrganizationId, ProjectId, TeamId};
use crate::text::{Description, Name, Slug};
use crate::time::{Timestamp, Zone};

/// Default lifecycle status of a team or a column.
pub const ACTIVE: &str = "active";

/// A team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Team")]
pub struct TeamRecord {
    /// Id.
    pub id: TeamId,
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Lifecycle status: free text, by default `active`.
    pub status: Name,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change of its own fields.
    pub updated_at: Timestamp,
    /// Its organization.
    pub organization_id: OrganizationId,
    /// The users who can see it.
    pub visibility: TeamVisibility,
    /// The time zone of its days: those of its sprints' dates and reports.
    pub time_zone: Zone,
}

/// A project whose cards can be placed on the team's board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkedProject {
    /// The project's id.
    pub id: ProjectId,
    /// Its name.
    pub name: Name,
    /// Name in URLs.
    pub project_slug: Slug,
    /// The users who can see it.
    pub visibility: Visibility,
    /// Time of linking.
    pub linked_at: Timestamp,
}

/// The users who can see a team.
// docs/api.md, section 6
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TeamVisibility {
    /// Its members, and the organization's admins and owners.
    #[default]
    Private,
    /// Also every member of the organization.
    Internal,
}

impl TeamVisibility {
    /// The visibility's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Internal => "internal",
        }
    }
}
