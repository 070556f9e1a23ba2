//! Sprints of a team and their reports. JSON names are in snake case.

pub mod report;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{SprintId, TeamId};
use crate::text::{Description, Name};
use crate::time::{DateOrTime, Timestamp, Zone};
use crate::{Error, Result, Rule};

/// Longest sprint, in seconds: 366 days.
pub const SPRINT_MAX_SECS: i64 = 366 * 86_400;

/// A sprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Sprint")]
pub struct SprintRecord {
    /// Id.
    pub id: SprintId,
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Planned, active or completed.
    pub status: SprintStatus,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Its start; null while undecided.
    pub start_date: Option<Timestamp>,
    /// Its end; null while undecided.
    pub end_date: Option<Timestamp>,
    /// Its team.
    pub team_id: TeamId,
}

/// The state of a sprint: planned, then active, then completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SprintStatus {
    /// Not started.
    Planned,
    /// Started.
    Active,
    /// Finished for good.
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

/// Start and end of a sprint, either of which may be undecided.
///
/// The end is not before the start and at most [`SPRINT_MAX_SECS`] after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    start: Option<Timestamp>,
    end: Option<Timestamp>,
}

impl Period {
    /// A period from its two ends.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if the end does not fit the start.
    pub fn new(start: Option<Timestamp>, end: Option<Timestamp>) -> Result<Self> {
        if let (Some(start), Some(end)) = (start, end) {
            if end < start {
                return Err(Error::broken("endDate", Rule::NotBefore(start.to_string())));
            }
            let latest = start.plus_seconds(SPRINT_MAX_SECS);
            if latest < end {
                let message = "must be at most 366 days after the start";
                return Err(Error::invalid("endDate", Rule::NotAfter(latest.to_string()), message));
            }
        }
        Ok(Self { start, end })
    }

    /// Replaces the ends that a request names; `Some(None)` clears one. Days are those of the team's `zone`.
    ///
    /// # Errors
    /// As [`Period::new`].
    pub fn with(
        self,
        start: Option<Option<DateOrTime>>,
        end: Option<Option<DateOrTime>>,
        zone: &Zone,
    ) -> Result<Self> {
        Self::new(
            start.map_or(self.start, |start| start.map(|start| start.start_in(zone))),
            end.map_or(self.end, |end| end.map(|end| end.end_in(zone))),
        )
    }

    /// Its start.
    pub fn start(self) -> Option<Timestamp> {
        self.start
    }

    /// Time of its end.
    pub fn end(self) -> Option<Timestamp> {
        self.end
    }

    /// Both ends; `reason` says why they must be decided.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if one is undecided.
    pub fn both(self, reason: &str) -> Result<(Timestamp, Timestamp)> {
        let required = |field| Error::invalid(field, Rule::Required, reason);
        match (self.start, self.end) {
            (Some(start), Some(end)) => Ok((start, end)),
            (None, Some(_)) => Err(required("startDate")),
            (Some(_), None) => Err(required("endDate")),
            (None, None) => Err(required("startDate").and(required("endDate"))),
        }
    }
}

impl SprintRecord {
    /// Its start and end.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if the end does not fit the start.
    pub fn period(&self) -> Result<Period> {
        Period::new(self.start_date, self.end_date)
    }
}
