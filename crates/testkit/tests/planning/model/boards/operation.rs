//! Operations on a board, and their random choice.

use std::collections::BTreeSet;

use super::model::{Model, Status};
use testkit::random::Random;

/// Most cards, and most sprints that aren't completed.
const CARDS: usize = 9;
const OPEN_SPRINTS: usize = 3;

/// An operation on a board.
#[derive(Clone, Debug)]
pub enum Operation {
    Create,
    SetOpen {
        card: String,
        is_open: bool,
        head: Option<String>,
    },
    Delete {
        card: String,
        head: Option<String>,
    },
    Place {
        card: String,
        to: Move,
        head: Option<String>,
    },
    /// Places cards without neighbours, in this order.
    PlaceAll {
        cards: Vec<String>,
        to: Move,
    },
    TakeOff {
        card: String,
        head: Option<String>,
    },
    SetState {
        column: String,
        state: &'static str,
    },
    CreateSprint,
    Start {
        sprint: String,
        allow_concurrent: bool,
    },
    Complete {
        sprint: String,
        to: String,
    },
}

/// The target of a card's move.
#[derive(Clone, Debug)]
pub struct Move {
    pub column: Option<String>,
    pub sprint: Option<Option<String>>,
    pub after: Option<String>,
    pub before: Option<String>,
    pub close_card: bool,
}

impl Model {
    /// The next operation: mostly moves, rarely of a deleted card.
    pub fn choose(&self, random: &mut Random) -> Operation {
        let there: Vec<&String> = self.cards.keys().collect();
        if there.is_empty() || (there.len() < CARDS && random.below(4) == 0) {
            return Operation::Create;
        }
        let open = self.sprints.values().filter(|sprint| sprint.status != Status::Completed).count();
        if open == 0 || (open < OPEN_SPRINTS && random.below(8) == 0) {
            return Operation::CreateSprint;
        }
        let gone: Vec<&String> = self.deleted.keys().collect();
        let from = if gone.is_empty() || random.below(15) > 0 { &there } else { &gone };
        let card = (*random.one_of(from)).clone();
        // No head, the latest one or an earlier one.
        let history = &self.cards.get(&card).or(self.deleted.get(&card)).unwrap().history;
        let head = match random.below(3) {
            0 => None,
            1 => history.last().map(|(head, _)| head.clone()),
            _ => Some(random.one_of(history).0.clone()),
        };
        // Mostly a sprint that allows it, else the latest completed one.
        let any: Vec<&String> = self.sprints.keys().rev().take(OPEN_SPRINTS + 1).collect();
        let sprint = |random: &mut Random, fits: &[Status]| -> String {
            let fitting = self.sprints.iter().filter(|(_, sprint)| fits.contains(&sprint.status));
            let fitting: Vec<&String> = fitting.map(|(id, _)| id).collect();
            let from = if fitting.is_empty() || random.below(6) == 0 { &any } else { &fitting };
            (*random.one_of(from)).clone()
        };
        match random.below(23) {
            21 | 22 => {
                let mut cards: Vec<String> = (0..3).map(|_| (*random.one_of(&there)).clone()).collect();
                cards.sort_by_key(|_| random.below(1_000));
                let mut named = BTreeSet::new();
                cards.retain(|card| named.insert(card.clone()));
                let column = random.below(3) > 0;
                let column = column.then(|| random.one_of(&self.columns).id.clone());
                let (sprint, after, before) = (None, None, None);
                Operation::PlaceAll { cards, to: Move { column, sprint, after, before, close_card: false } }
            }
            20 => {
                let column = random.one_of(&self.columns).id.clone();
                let state: &&'static str = random.one_of(&["not_started", "started", "closed"]);
                Operation::SetState { column, state }
            }
            0 => Operation::Delete { card, head },
            1 => Operation::TakeOff { card, head },
            2..=4 => Operation::SetOpen { card, is_open: random.below(2) == 0, head },
            5 | 6 => Operation::Start {
                sprint: sprint(random, &[Status::Planned]),
                allow_concurrent: random.below(3) == 0,
            },
            7 => {
                let sprint = sprint(random, &[Status::Active]);
                let others: Vec<&&String> = any.iter().filter(|other| ***other != sprint).collect();
                let to = match random.below(3) {
                    1 => "keep".to_owned(),
                    2 if !others.is_empty() => random.one_of(&others).to_string(),
                    _ => "backlog".to_owned(),
                };
                Operation::Complete { sprint, to }
            }
            _ => {
                let sprint = sprint(random, &[Status::Planned, Status::Active]);
                let to = self.choose_move(random, &card, sprint);
                Operation::Place { card, to, head }
            }
        }
    }

    fn choose_move(&self, random: &mut Random, card: &str, sprint: String) -> Move {
        let column = &random.one_of(&self.columns).id;
        let others: Vec<&str> =
            self.cards_in_column(column).into_iter().filter(|other| *other != card).collect();
        let (mut after, mut before) = (None, None);
        if !others.is_empty() {
            let at = random.below(others.len());
            let next = others.get(at + 1).or(others.first());
            match random.below(4) {
                0 => after = Some(others[at].to_owned()),
                1 => before = Some(others[at].to_owned()),
                2 => (after, before) = (Some(others[at].to_owned()), next.map(|id| (*id).to_owned())),
                _ => {}
            }
        }
        let sprint = match random.below(8) {
            0..=3 => None,
            4 => Some(None),
            _ => Some(Some(sprint)),
        };
        let column = (random.below(5) > 0).then(|| column.clone());
        Move { column, sprint, after, before, close_card: random.below(2) == 0 }
    }
}

impl Operation {
    pub fn card(&self) -> Option<&str> {
        match self {
            Self::Create
            | Self::PlaceAll { .. }
            | Self::SetState { .. }
            | Self::CreateSprint
            | Self::Start { .. }
            | Self::Complete { .. } => None,
            Self::SetOpen { card, .. }
            | Self::Delete { card, .. }
            | Self::Place { card, .. }
            | Self::TakeOff { card, .. } => Some(card),
        }
    }

    pub fn head(&self) -> Option<&str> {
        match self {
            Self::Create
            | Self::PlaceAll { .. }
            | Self::SetState { .. }
            | Self::CreateSprint
            | Self::Start { .. }
            | Self::Complete { .. } => None,
            Self::SetOpen { head, .. }
            | Self::Delete { head, .. }
            | Self::Place { head, .. }
            | Self::TakeOff { head, .. } => head.as_deref(),
        }
    }
}
