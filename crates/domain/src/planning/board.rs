//! A team's board: columns with their cards, and the effects of a move on a card (docs/api.md, section 6).

pub mod changes;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::id::{CardId, HistoryId, ProjectId, SprintId, StatusId, TagId, TeamId, UserId};
use crate::key::CardKey;
use crate::planning::card::{CardType, Effort, Priority};
use crate::planning::checklist::ChecklistCount;
use crate::planning::custom_field::{CustomField, FieldValues};
use crate::planning::history::Sequence;
use crate::planning::status::{CloseMode, StatusRecord, TransitionState, WipLimit, WipPolicy, WipUnit};
use crate::planning::tag::Color;
use crate::position::Position;
use crate::text::Name;
use crate::time::Timestamp;
use crate::{Code, Error, Result};

/// A board with all its columns.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Board {
    /// Its team.
    pub team_id: TeamId,
    /// Columns, from the left.
    pub columns: Vec<BoardColumn>,
    /// The custom fields of which cards have values here.
    pub fields: Vec<CustomField>,
    /// The users among these values.
    pub field_users: Vec<BoardAssignee>,
}

/// A column with its cards. Cards that the reader can't read count in no number.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoardColumn")]
pub struct BoardColumn {
    /// The column.
    pub status: StatusRecord,
    /// The number of cards in the column, ignoring the board's filter.
    pub card_count: i64,
    /// Sum of the cards' effort.
    pub effort: i64,
    /// True if the column exceeds its WIP limit.
    pub wip_exceeded: bool,
    /// The cards that pass the filter, from the top.
    pub cards: Vec<ColumnCard>,
}

/// A card as a board shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoardCard")]
pub struct ColumnCard {
    /// Id.
    pub id: CardId,
    /// Its key, `GEAR-12`.
    pub key: Option<CardKey>,
    /// Name.
    pub name: Name,
    /// Its project.
    pub project_id: ProjectId,
    /// Its project's name.
    pub project_name: Name,
    /// True while it is open.
    pub is_open: bool,
    /// Its estimate.
    pub effort: Effort,
    /// How urgent it is.
    pub priority: Priority,
    /// The kind of work.
    #[serde(rename = "type")]
    pub card_type: CardType,
    /// The card of which it is a part.
    pub parent_id: Option<CardId>,
    /// True while an open card blocks it.
    pub is_blocked: bool,
    /// The lines of its checklist.
    pub checklist: ChecklistCount,
    /// Due date.
    pub deadline: Option<Timestamp>,
    /// Its sprint, if any.
    pub sprint_id: Option<SprintId>,
    /// Position in its column; ranks compare bytewise.
    #[schemars(with = "String")]
    pub rank: Position,
    /// Its assignees.
    pub assignees: Vec<BoardAssignee>,
    /// Its tags.
    pub tags: Vec<BoardTag>,
    /// Its values of the fields that boards show; of texts the first 200 characters.
    pub fields: FieldValues,
    /// Its latest history row.
    pub history_head_id: HistoryId,
    /// That row's number.
    pub history_head_sequence: Sequence,
}

/// An assignee of a card, as a board shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoardAssignee")]
pub struct BoardAssignee {
    /// The user.
    pub id: UserId,
    /// The user's display name.
    pub display_name: String,
}

/// A tag of a card, as a board shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoardTag")]
pub struct BoardTag {
    /// Id.
    pub id: TagId,
    /// Name.
    pub name: Name,
    /// Color.
    pub color: Color,
}

/// A card's place on a board: the value of the field `team_placement` in its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Placement")]
pub struct Placement {
    /// The board's team.
    pub team_id: TeamId,
    /// The column.
    pub status_id: StatusId,
    /// The column's transition state at the time of the history row.
    pub transition_state: TransitionState,
    /// The card's sprint, if any.
    pub sprint_id: Option<SprintId>,
    /// Position in the column.
    #[schemars(with = "String")]
    pub rank: Position,
}

/// A card's move from one column to another, as far as it opens or closes the card.
#[derive(Clone, Copy, Debug)]
pub struct ColumnTransition {
    /// The column that the card leaves; `None` if it stays or was not on the board.
    pub left: Option<CloseRule>,
    /// The card's column after the move.
    pub into: CloseRule,
    /// True if the card was not in that column before.
    pub enters: bool,
    /// True if the request asks to close the card.
    pub close_card: bool,
}

/// A column's rule for opening and closing cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloseRule {
    /// The column's transition state.
    pub transition_state: TransitionState,
    /// Condition on which moves close and open cards.
    pub close_mode: CloseMode,
}

impl CloseRule {
    fn opens_what_leaves(self) -> bool {
        self.transition_state == TransitionState::Closed && self.close_mode == CloseMode::Automatic
    }
}

impl ColumnTransition {
    /// True if the card is open after the move.
    pub fn leaves_open(self, is_open: bool) -> bool {
        match (self.into.transition_state, self.into.close_mode) {
            (TransitionState::Closed, CloseMode::Off) => is_open,
            (TransitionState::Closed, CloseMode::Manual) => is_open && !self.close_card,
            (TransitionState::Closed, CloseMode::Automatic) => is_open && !self.enters,
            (TransitionState::NotStarted | TransitionState::Started, _) => {
                is_open || self.left.is_some_and(CloseRule::opens_what_leaves)
            }
        }
    }
}

/// A column's limit on work in progress (WIP).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wip {
    /// Most work.
    pub limit: WipLimit,
    /// The consequence of exceeding it.
    pub policy: WipPolicy,
    /// The unit that it counts.
    pub unit: WipUnit,
}

/// Work in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Number of cards.
    pub cards: i64,
    /// Sum of the cards' effort.
    pub effort: i64,
}

/// Reports that a card made its column exceed the WIP limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WipWarning")]
pub struct WipWarning {
    /// The column.
    pub status_id: StatusId,
    /// Its limit.
    pub limit: WipLimit,
    /// The unit that the limit counts.
    pub unit: WipUnit,
    /// The column's work, including the card.
    pub current: i64,
}

impl Load {
    /// Adds a card.
    #[must_use]
    pub fn and(self, effort: Effort) -> Self {
        Self { cards: self.cards + 1, effort: self.effort + i64::from(effort.get()) }
    }
}

impl Wip {
    /// The column's limit, if it has one.
    pub fn of(status: &StatusRecord) -> Option<Self> {
        let limit = status.wip_limit?;
        Some(Self { limit, policy: status.wip_policy, unit: status.wip_unit })
    }

    /// True if `load` exceeds the limit.
    pub fn is_exceeded_by(self, load: Load) -> bool {
        self.measure(load) > i64::from(self.limit.get())
    }

    /// Admits a card to the column `status`, whose work is `load` afterwards; warns if that exceeds the limit.
    ///
    /// # Errors
    /// `WIP_LIMIT_REACHED` if it does and the column's policy is `block`.
    pub fn admit(self, status: StatusId, load: Load) -> Result<Option<WipWarning>> {
        let Self { limit, policy, unit } = self;
        if !self.is_exceeded_by(load) {
            return Ok(None);
        }
        let current = self.measure(load);
        match policy {
            WipPolicy::Warn => Ok(Some(WipWarning { status_id: status, limit, unit, current })),
            WipPolicy::Block => {
                let details =
                    json!({ "statusId": status, "limit": limit, "unit": unit, "requested": current });
                Err(Error::new(Code::WipLimitReached, "The column has reached its WIP limit.")
                    .with_details(details))
            }
        }
    }

    fn measure(self, load: Load) -> i64 {
        match self.unit {
            WipUnit::Count => load.cards,
            WipUnit::Effort => load.effort,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::id::StatusId;
    use crate::planning::card::Effort;
    use crate::planning::status::{CloseMode, TransitionState, WipLimit, WipPolicy, WipUnit};
    use crate::time::Timestamp;

    use super::{CloseRule, ColumnTransition, Load, Wip};

    fn rule(transition_state: TransitionState, close_mode: CloseMode) -> CloseRule {
        CloseRule { transition_state, close_mode }
    }

    #[test]
    fn only_closed_columns_close_and_only_automatic_ones_open_what_leaves() {
        use CloseMode::{Automatic, Manual, Off};
        use TransitionState::{Closed, NotStarted, Started};
        let enter = |left, into, close_card| ColumnTransition { left, into, enters: true, close_card };
        for state in [NotStarted, Started] {
            for mode in [Off, Manual, Automatic] {
                let transition = enter(None, rule(state, mode), true);
                assert!(transition.leaves_open(true) && !transition.leaves_open(false), "{state:?} {mode:?}");
                for left in [Off, Manual, Automatic] {
                    let transition = enter(Some(rule(Closed, left)), rule(state, mode), false);
                    assert_eq!(transition.leaves_open(false), left == Automatic);
                }
            }
        }
        for (mode, close_card, open) in
            [(Off, true, true), (Manual, false, true), (Manual, true, false), (Automatic, false, false)]
        {
            let transition = enter(None, rule(Closed, mode), close_card);
            assert_eq!(transition.leaves_open(true), open, "{mode:?}");
            assert!(!transition.leaves_open(false), "a closed column opens nothing");
        }
        // A card that was reopened in its column stays open.
        let stays = ColumnTransition { enters: false, ..enter(None, rule(Closed, Automatic), false) };
        assert!(stays.leaves_open(true));
    }

    #[test]
    fn a_wip_limit_warns_or_blocks_by_its_policy_when_exceeded() {
        let status = StatusId::new(Timestamp::parse("2026-11-20T12:00:00Z").unwrap());
        let limit = WipLimit::try_from(5).unwrap();
        let wip = |policy, unit| Wip { limit, policy, unit };
        let load = Load { cards: 4, effort: 3 }.and(Effort::try_from(3).unwrap());
        assert_eq!(load, Load { cards: 5, effort: 6 });
        assert_eq!(wip(WipPolicy::Block, WipUnit::Count).admit(status, load).unwrap(), None);
        let warning = wip(WipPolicy::Warn, WipUnit::Effort).admit(status, load).unwrap().unwrap();
        assert_eq!((warning.current, warning.limit), (6, limit));
        assert!(wip(WipPolicy::Block, WipUnit::Effort).admit(status, load).is_err());
    }
}
