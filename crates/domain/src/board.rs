//! A team's board: columns with the cards that stand in them, and what moving a card does to it (contract, section 6).
//! Spelled as the specification spells cards and columns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::card::Effort;
use crate::history::Sequence;
use crate::id::{CardId, HistoryId, ProjectId, SprintId, StatusId, TagId, TeamId, UserId};
use crate::position::Position;
use crate::status::{CloseMode, StatusRecord, TransitionState, WipLimit, WipPolicy, WipUnit};
use crate::tag::Color;
use crate::text::Name;
use crate::time::Timestamp;
use crate::{Code, Error, Result};

/// A whole board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Board {
    /// Its team.
    pub team_id: TeamId,
    /// Its columns, from the left.
    pub columns: Vec<Column>,
}

/// A column with what stands in it. Of cards that the reader can't read nothing shows, neither here nor in the numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BoardColumn")]
pub struct Column {
    /// The column.
    pub status: StatusRecord,
    /// The number of cards that stand here, whatever the board was filtered by.
    pub card_count: i64,
    /// Their effort.
    pub effort: i64,
    /// Whether that is more than the column's limit.
    pub wip_exceeded: bool,
    /// The cards that the filter leaves, from the top.
    pub cards: Vec<Card>,
}

/// A card as a board shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "BoardCard")]
pub struct Card {
    /// Id.
    pub id: CardId,
    /// Name.
    pub name: Name,
    /// Its project.
    pub project_id: ProjectId,
    /// Its project's name.
    pub project_name: Name,
    /// Whether it is open.
    pub is_open: bool,
    /// Its estimate.
    pub effort: Effort,
    /// When it is due.
    pub deadline: Option<Timestamp>,
    /// The sprint, where it is in one.
    pub sprint_id: Option<SprintId>,
    /// Where it stands in its column: ranks are compared bytewise.
    #[schemars(with = "String")]
    pub rank: Position,
    /// Whom it is assigned to.
    pub assignees: Vec<Assignee>,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// Its latest history row.
    pub history_head_id: HistoryId,
    /// That row's number.
    pub history_head_sequence: Sequence,
}

/// Whom a card is assigned to, as a board shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoardAssignee")]
pub struct Assignee {
    /// The user.
    pub id: UserId,
    /// The user's display name.
    pub display_name: String,
}

/// A tag of a card, as a board shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BoardTag")]
pub struct Tag {
    /// Id.
    pub id: TagId,
    /// Name.
    pub name: Name,
    /// Color.
    pub color: Color,
}

/// A card's place on a board: what the field `team_placement` of its history holds before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Placement")]
pub struct Placement {
    /// The board's team.
    pub team_id: TeamId,
    /// The column.
    pub status_id: StatusId,
    /// How far along work is that stands in the column, at the time of the row.
    pub transition_state: TransitionState,
    /// The sprint, where the card is in one.
    pub sprint_id: Option<SprintId>,
    /// Where the card stands in the column.
    #[schemars(with = "String")]
    pub rank: Position,
}

/// A card's way from one column to another, as far as opening and closing go.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// The column that it leaves; `None` where it stays in its column, or was on no board.
    pub left: Option<CloseRule>,
    /// The column that it is in after.
    pub into: CloseRule,
    /// Whether it was not there before.
    pub enters: bool,
    /// Whether the move says to close it.
    pub close_card: bool,
}

/// What a column does to the openness of cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloseRule {
    /// How far along work is there.
    pub transition_state: TransitionState,
    /// Whether cards are closed and opened by being moved.
    pub close_mode: CloseMode,
}

impl CloseRule {
    fn opens_what_leaves(self) -> bool {
        self.transition_state == TransitionState::Closed && self.close_mode == CloseMode::Automatic
    }
}

impl Passage {
    /// Whether a card that was open or not is open after it.
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

/// A column's limit on work in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wip {
    /// Most work.
    pub limit: WipLimit,
    /// What happens above it.
    pub policy: WipPolicy,
    /// What it counts.
    pub unit: WipUnit,
}

/// Work that stands in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Cards.
    pub cards: i64,
    /// Their effort.
    pub effort: i64,
}

/// That a column holds more than it should, since a card went in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WipWarning")]
pub struct WipWarning {
    /// The column.
    pub status_id: StatusId,
    /// Its limit.
    pub limit: WipLimit,
    /// What the limit counts.
    pub unit: WipUnit,
    /// How much that is with the card.
    pub current: i64,
}

impl Load {
    /// This and one more card.
    #[must_use]
    pub fn and(self, effort: Effort) -> Self {
        Self { cards: self.cards + 1, effort: self.effort + i64::from(effort.get()) }
    }
}

impl Wip {
    /// The limit of a column that has one.
    pub fn of(status: &StatusRecord) -> Option<Self> {
        let limit = status.wip_limit?;
        Some(Self { limit, policy: status.wip_policy, unit: status.wip_unit })
    }

    /// Whether that is more than the limit.
    pub fn is_exceeded_by(self, load: Load) -> bool {
        self.measure(load) > i64::from(self.limit.get())
    }

    /// Lets a card into the column `status`, which holds `load` then; with a warning where that is above the limit.
    ///
    /// # Errors
    /// `WIP_LIMIT_REACHED` where it is, and the column's policy is to block.
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
                Err(Error::new(Code::WipLimitReached, "The column holds as much work as it may.")
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
    use crate::card::Effort;
    use crate::id::StatusId;
    use crate::status::{CloseMode, TransitionState, WipLimit, WipPolicy, WipUnit};
    use crate::time::Timestamp;

    use super::{CloseRule, Load, Passage, Wip};

    fn rule(transition_state: TransitionState, close_mode: CloseMode) -> CloseRule {
        CloseRule { transition_state, close_mode }
    }

    #[test]
    fn only_closed_columns_close_and_only_automatic_ones_open_what_leaves() {
        use CloseMode::{Automatic, Manual, Off};
        use TransitionState::{Closed, NotStarted, Started};
        let enter = |left, into, close_card| Passage { left, into, enters: true, close_card };
        for state in [NotStarted, Started] {
            for mode in [Off, Manual, Automatic] {
                let passage = enter(None, rule(state, mode), true);
                assert!(passage.leaves_open(true) && !passage.leaves_open(false), "{state:?} {mode:?}");
                for left in [Off, Manual, Automatic] {
                    let passage = enter(Some(rule(Closed, left)), rule(state, mode), false);
                    assert_eq!(passage.leaves_open(false), left == Automatic);
                }
            }
        }
        for (mode, close_card, open) in
            [(Off, true, true), (Manual, false, true), (Manual, true, false), (Automatic, false, false)]
        {
            let passage = enter(None, rule(Closed, mode), close_card);
            assert_eq!(passage.leaves_open(true), open, "{mode:?}");
            assert!(!passage.leaves_open(false), "a closed column opens nothing");
        }
        // Who opens a card where it stands keeps it open.
        let stays = Passage { enters: false, ..enter(None, rule(Closed, Automatic), false) };
        assert!(stays.leaves_open(true));
    }

    #[test]
    fn a_limit_is_exceeded_by_more_than_it_names_and_only_blocks_where_it_should() {
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
