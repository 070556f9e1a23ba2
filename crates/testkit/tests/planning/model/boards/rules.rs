//! The expected answer to an operation: its refusal, or the card's new place.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::model::{Card, Model, Place, Status};
use super::operation::{Move, Operation};

/// Another card of a column.
struct Other<'a> {
    id: &'a str,
    rank: &'a str,
    is_live: bool,
}

/// True if a card is between two ranks.
fn is_parted(others: &[Other<'_>], low: &str, high: Option<&str>) -> bool {
    others.iter().any(|other| other.is_live && low < other.rank && high.is_none_or(|high| other.rank < high))
}

impl Model {
    /// The code with which the service must refuse an operation without concurrent ones; `None` for success.
    pub fn refusal(&self, operation: &Operation) -> Option<&'static str> {
        let found = operation.card().map(|id| self.cards.get(id));
        if found.is_some_and(|card| card.is_none()) {
            return Some("NOT_FOUND");
        }
        match (operation, found.flatten()) {
            (Operation::Place { card: id, to, .. }, Some(card)) => {
                self.refusal_of_move(id, card, to).or_else(|| self.conflict(operation, card))
            }
            (Operation::TakeOff { .. }, Some(Card { place: None, .. })) => Some("NOT_FOUND"),
            (Operation::Delete { head: Some(head), .. }, Some(card)) => {
                (head != card.head()).then_some("CARD_HISTORY_CONFLICT")
            }
            (_, Some(card)) => self.conflict(operation, card),
            (Operation::Start { sprint, allow_concurrent }, None) => {
                let of_it = |place: &Place| place.sprint.as_ref() == Some(sprint);
                let is_empty =
                    !self.placed().any(|(_, place)| of_it(place)) && !self.ghosts.values().any(of_it);
                let is_other_active = self.sprints.values().any(|sprint| sprint.status == Status::Active);
                match self.sprints[sprint].status {
                    Status::Active | Status::Completed => Some("SPRINT_NOT_PLANNED"),
                    Status::Planned if is_empty => Some("SPRINT_EMPTY"),
                    Status::Planned if is_other_active && !allow_concurrent => Some("SPRINT_ALREADY_ACTIVE"),
                    Status::Planned => None,
                }
            }
            (Operation::PlaceAll { cards, to }, None) => {
                let mut loads = BTreeMap::new();
                let is_refused = cards.iter().any(|id| {
                    let card = &self.cards[id];
                    let column = self.column_of(card, to);
                    let load =
                        loads.entry(&column.id).or_insert_with(|| self.cards_in_column(&column.id).len());
                    // Cards of the request leave their columns.
                    let is_full = card.enters(column) && column.limit.is_some_and(|limit| *load >= limit);
                    if card.enters(column) {
                        *load += 1;
                        if let Some(place) = &card.place {
                            let left = self.cards_in_column(&place.column).len();
                            *loads.entry(&self.column(&place.column).id).or_insert(left) -= 1;
                        }
                    }
                    is_full
                });
                is_refused.then_some("WIP_LIMIT_REACHED")
            }
            (Operation::Complete { sprint, to }, None) => {
                let is_over = self.sprints.get(to).is_some_and(|to| to.status == Status::Completed);
                (self.sprints[sprint].status != Status::Active || is_over).then_some("SPRINT_NOT_ACTIVE")
            }
            _ => None,
        }
    }

    fn refusal_of_move(&self, id: &str, card: &Card, to: &Move) -> Option<&'static str> {
        let column = self.column_of(card, to);
        let others = self.others(&column.id, id);
        let live = others.iter().filter(|other| other.is_live).count();
        if card.enters(column) && column.limit.is_some_and(|limit| live >= limit) {
            return Some("WIP_LIMIT_REACHED");
        }
        if let Some(Some(sprint)) = &to.sprint
            && card.sprint() != Some(sprint)
            && self.sprints[sprint].status == Status::Completed
        {
            return Some("SPRINT_NOT_ACTIVE");
        }
        let rank = |id: &Option<String>| id.as_ref().map(|id| others.iter().find(|other| other.id == id));
        let are_neighbours = match (rank(&to.after), rank(&to.before)) {
            (Some(None), _) | (_, Some(None)) => false,
            (Some(Some(after)), Some(Some(before))) => {
                after.rank < before.rank && !is_parted(&others, after.rank, Some(before.rank))
            }
            _ => true,
        };
        (!are_neighbours).then_some("POSITION_CONFLICT")
    }

    fn conflict(&self, operation: &Operation, card: &Card) -> Option<&'static str> {
        let since = operation.head().map(|head| card.moved_since(head)).unwrap_or_default();
        (!self.moved_by(operation, card).is_disjoint(&since)).then_some("CARD_HISTORY_CONFLICT")
    }

    /// The fields of a card that an operation would move.
    pub fn moved_by(&self, operation: &Operation, card: &Card) -> BTreeSet<&'static str> {
        let mut moved = BTreeSet::new();
        match operation {
            Operation::SetOpen { is_open, .. } if *is_open != card.is_open => {
                moved.insert("is_open");
            }
            Operation::TakeOff { .. } => {
                moved.insert("place");
            }
            Operation::Place { card: id, to, .. } => {
                let is_sprint = to.sprint.as_ref().is_none_or(|to| to.as_ref() == card.sprint());
                if !is_sprint || !self.keeps_rank(id, card, to) {
                    moved.insert("place");
                }
                if self.leaves_open(card, to) != card.is_open {
                    moved.insert("is_open");
                }
            }
            _ => {}
        }
        moved
    }

    /// True if the card is already where the move would put it.
    fn keeps_rank(&self, id: &str, card: &Card, to: &Move) -> bool {
        let column = self.column_of(card, to);
        let says_where = to.after.is_some() || to.before.is_some();
        let place = card.place.as_ref().filter(|place| place.column == column.id);
        place.is_some_and(|place| !says_where || self.stands(id, to, &column.id, &place.rank))
    }

    /// True if a card with this rank is where the move would put it.
    fn stands(&self, id: &str, to: &Move, column: &str, rank: &str) -> bool {
        let others = self.others(column, id);
        let rank_of = |id: &String| others.iter().find(|other| other.id == id).map(|other| other.rank);
        let is_after = to.after.as_ref().is_none_or(|after| {
            rank_of(after).is_some_and(|after| after < rank && !is_parted(&others, after, Some(rank)))
        });
        let is_before = to.before.as_ref().is_none_or(|before| {
            rank_of(before).is_some_and(|before| rank < before && !is_parted(&others, rank, Some(before)))
        });
        let is_last = !is_parted(&others, rank, None);
        is_after && is_before && (to.after.is_some() || to.before.is_some() || is_last)
    }

    /// True if a card with this rank is back at its last place, or right below the card that has it now.
    fn is_back(&self, id: &str, last: &Place, rank: &str) -> bool {
        let others = self.others(&last.column, id);
        let below =
            |other: &Other<'_>| other.rank == last.rank && !is_parted(&others, other.rank, Some(rank));
        rank == last.rank || others.iter().any(below)
    }

    pub fn leaves_open(&self, card: &Card, to: &Move) -> bool {
        let (into, enters) = (self.column_of(card, to), card.enters(self.column_of(card, to)));
        let left = card.place.as_ref().filter(|_| enters).map(|place| self.column(&place.column));
        match (into.state, into.close_mode) {
            ("closed", "off") => card.is_open,
            ("closed", "manual") => card.is_open && !to.close_card,
            ("closed", _) => card.is_open && !enters,
            _ => {
                card.is_open
                    || left.is_some_and(|left| (left.state, left.close_mode) == ("closed", "automatic"))
            }
        }
    }

    /// True if an answer shows the result that the model expects.
    pub fn is_shown(&self, operation: &Operation, shown: &Value) -> bool {
        let Some((id, card)) = operation.card().and_then(|id| Some((id, self.cards.get(id)?))) else {
            return true;
        };
        let Operation::Place { to, .. } = operation else { return true };
        let (column, rank) = (&self.column_of(card, to).id, shown["placement"]["rank"].as_str().unwrap());
        let sprint = self.sprint_of(card, to);
        let keeps_rank = card.place.as_ref().is_some_and(|place| place.rank == rank);
        let is_where_it_should = match self.keeps_rank(id, card, to) {
            true => keeps_rank || (!self.ghosts.is_empty() && self.stands(id, to, column, rank)),
            false => match card.returns(to).filter(|_| to.after.is_none() && to.before.is_none()) {
                Some(last) => self.is_back(id, last, rank),
                None => self.stands(id, to, column, rank),
            },
        };
        shown["placement"]["status_id"] == column.as_str()
            && shown["placement"]["sprint_id"].as_str() == sprint.as_deref()
            && shown["card"]["is_open"] == self.leaves_open(card, to)
            && is_where_it_should
    }

    /// True if an answered operation must have changed the model and written a history row.
    pub fn is_change(&self, operation: &Operation, shown: &Value) -> bool {
        let Some(card) = operation.card().and_then(|id| self.cards.get(id)) else { return true };
        match operation {
            Operation::Delete { .. } => true,
            Operation::Place { to, .. } => {
                let rank = card.place.as_ref().map(|place| place.rank.as_str());
                let is_elsewhere = shown["placement"]["rank"].as_str() != rank
                    || shown["placement"]["sprint_id"].as_str() != card.sprint().map(String::as_str);
                is_elsewhere
                    || card.enters(self.column_of(card, to))
                    || self.leaves_open(card, to) != card.is_open
            }
            _ => !self.moved_by(operation, card).is_empty(),
        }
    }

    /// The other cards of a column, ghosts included.
    fn others(&self, column: &str, card: &str) -> Vec<Other<'_>> {
        let live = self.placed().map(|(id, place)| (id, place, true));
        let all = live.chain(self.ghosts.iter().map(|(id, place)| (id, place, false)));
        all.filter(|(id, place, _)| place.column == column && *id != card)
            .map(|(id, place, is_live)| Other { id, rank: &place.rank, is_live })
            .collect()
    }
}
