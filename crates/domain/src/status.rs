//! Status columns of a team's board, spelled as the specification's table spells them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{StatusId, TeamId};
use crate::position::Position;
use crate::tag::Color;
use crate::text::{Description, Name};

/// Most columns of a team.
pub const TEAM_MAX_STATUSES: usize = 200;

/// A column (specification, "Workflow status"), with its limit on work in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WorkflowStatus")]
pub struct StatusRecord {
    /// Id.
    pub id: StatusId,
    /// Name; unique in its team, whatever its case.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Where it stands among the team's columns: positions are compared bytewise.
    #[schemars(with = "String")]
    pub position: Position,
    /// Color.
    pub color: Color,
    /// Lifecycle flag: free text, `active` unless said.
    pub status: Name,
    /// How far along work is that stands here.
    pub transition_state: TransitionState,
    /// Whether cards are closed and opened by being moved.
    #[serde(rename = "closeMode")]
    pub close_mode: CloseMode,
    /// Most work that may stand here; null: any.
    pub wip_limit: Option<WipLimit>,
    /// What happens above the limit.
    pub wip_policy: WipPolicy,
    /// What the limit counts.
    pub wip_unit: WipUnit,
    /// Its team.
    pub team_id: TeamId,
}

/// How far along work is in a column.
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

/// Whether moving a card closes it, in a column whose transition state is `closed` (contract, section 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CloseMode {
    /// Never.
    #[default]
    Off,
    /// Where the move says so.
    Manual,
    /// On entry; and leaving for a column that is not closed opens the card again.
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

/// Most work in a column: 1 to 2147483647 cards or units of effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "i64")]
pub struct WipLimit(#[schemars(range(min = 1))] i32);

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

/// A number that is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an integer from 1 to {max}", max = i32::MAX)]
pub struct InvalidWipLimit;

/// What happens to a card that would take a column above its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WipPolicy {
    /// It goes in, and the answer says so.
    #[default]
    Warn,
    /// It is refused.
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

/// What a column's limit counts.
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
