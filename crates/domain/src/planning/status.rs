//! Status columns of a team's board. JSON names are in snake case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{StatusId, TeamId};
use crate::planning::tag::Color;
use crate::position::Position;
use crate::text::{Description, Name};

/// Most columns of a team.
pub const TEAM_MAX_STATUSES: usize = 200;

/// A column with its limit on work in progress (WIP).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WorkflowStatus")]
pub struct StatusRecord {
    /// Id.
    pub id: StatusId,
    /// Name, unique in its team without regard to case.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Position among the team's columns; positions compare bytewise.
    #[schemars(with = "String")]
    pub position: Position,
    /// Color.
    pub color: Color,
    /// Lifecycle flag: free text, by default `active`.
    pub status: Name,
    /// The progress of work in this column.
    pub transition_state: TransitionState,
    /// Condition on which moves close and open cards.
    #[serde(rename = "closeMode")]
    pub close_mode: CloseMode,
    /// WIP limit; null for none.
    pub wip_limit: Option<WipLimit>,
    /// The consequence of exceeding the limit.
    pub wip_policy: WipPolicy,
    /// The unit that the limit counts.
    pub wip_unit: WipUnit,
    /// Its team.
    pub team_id: TeamId,
}

/// The progress of work in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TransitionState {
    /// Not begun.
    #[default]
    NotStarted,
    /// Begun.
    Started,
    /// Done.
    Closed,
}

impl TransitionState {
    /// The state's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotStarted => "not_started",
            Self::Started => "started",
            Self::Closed => "closed",
        }
    }
}

/// Condition on which a move closes a card, in a column whose transition state is `closed`.
// docs/api.md, section 6
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CloseMode {
    /// Never.
    #[default]
    Off,
    /// If the request asks for it.
    Manual,
    /// On entry. Moving on to a column that is not closed opens the card again.
    Automatic,
}

impl CloseMode {
    /// The mode's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Manual => "manual",
            Self::Automatic => "automatic",
        }
    }
}

/// A WIP limit: 1 to 2147483647 cards or units of effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "i64")]
#[schemars(extend("minimum" = 1, "maximum" = i32::MAX))]
pub struct WipLimit(i32);

impl WipLimit {
    /// The number.
    pub fn get(self) -> i32 {
        self.0
    }
}

impl TryFrom<i64> for WipLimit {
    type Error = InvalidWipLimit;

    fn try_from(limit: i64) -> Result<Self, InvalidWipLimit> {
        i32::try_from(limit).ok().filter(|limit| *limit > 0).map(Self).ok_or(InvalidWipLimit)
    }
}

/// The number is not a WIP limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an integer from 1 to {max}", max = i32::MAX)]
pub struct InvalidWipLimit;

/// The treatment of a card that would exceed its column's limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WipPolicy {
    /// Admitted with a warning in the answer.
    #[default]
    Warn,
    /// Refused.
    Block,
}

impl WipPolicy {
    /// The policy's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Block => "block",
        }
    }
}

/// The unit of a WIP limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WipUnit {
    /// Cards.
    #[default]
    Count,
    /// The cards' effort.
    Effort,
}

impl WipUnit {
    /// The unit's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Effort => "effort",
        }
    }
}
