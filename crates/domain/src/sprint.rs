//! Sprints of a team, spelled as the specification's table spells them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{SprintId, TeamId};
use crate::text::{Description, Name};
use crate::time::Timestamp;

/// A sprint (specification, "Sprint").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Sprint")]
pub struct SprintRecord {
    /// Id.
    pub id: SprintId,
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// How far it is.
    pub status: SprintStatus,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it begins; null while that is open.
    pub start_date: Option<Timestamp>,
    /// When it ends; null while that is open.
    pub end_date: Option<Timestamp>,
    /// Its team.
    pub team_id: TeamId,
}

/// How far a sprint is (specification, "States and transitions").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SprintStatus {
    /// To be started.
    Planned,
    /// Going on.
    Active,
    /// Over, for good.
    Completed,
}

impl SprintStatus {
    /// The status' name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Active => "active",
            Self::Completed => "completed",
        }
    }
}
