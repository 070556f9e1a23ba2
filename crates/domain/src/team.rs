//! Teams of an organization, spelled as the specification's table spells them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{OrganizationId, ProjectId, TeamId};
use crate::project::Visibility;
use crate::text::{Description, Name, Slug};
use crate::time::Timestamp;

/// Lifecycle status of a team or a column where none was given (specification, "Team", "Workflow status").
pub const ACTIVE: &str = "active";

/// A team (specification, "Team").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Team")]
pub struct TeamRecord {
    /// Id.
    pub id: TeamId,
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Lifecycle status: free text, `active` unless said.
    pub status: Name,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its own fields last changed.
    pub updated_at: Timestamp,
    /// Its organization.
    pub organization_id: OrganizationId,
    /// Who sees it.
    pub visibility: TeamVisibility,
}

/// A project whose cards a team's board can hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkedProject {
    /// The project's id.
    pub id: ProjectId,
    /// Its name.
    pub name: Name,
    /// Its name in URLs.
    pub project_slug: Slug,
    /// Who may see it.
    pub visibility: Visibility,
    /// Since when it is linked.
    pub linked_at: Timestamp,
}

/// Who sees a team (contract, section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TeamVisibility {
    /// Its members, and the organization's admins and owners.
    #[default]
    Private,
    /// Every member of the organization, too.
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
