//! A model of boards and sprints, simple enough to be evidently right.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::operation::{Move, Operation};

/// The result of an operation: the answer and, for cards carried to another sprint, their new heads.
pub struct Outcome {
    pub shown: Value,
    pub carried: BTreeMap<String, String>,
}

pub struct Column {
    pub id: String,
    pub state: &'static str,
    pub close_mode: &'static str,
    /// Its WIP limit.
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub column: String,
    pub sprint: Option<String>,
    pub rank: String,
}

#[derive(Debug)]
pub struct Card {
    pub is_open: bool,
    pub place: Option<Place>,
    /// The place from which it was taken off.
    pub last: Option<Place>,
    /// All of its heads, each with the fields that its change moved.
    pub history: Vec<(String, BTreeSet<&'static str>)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    Planned,
    Active,
    Completed,
}

#[derive(Debug)]
pub struct Sprint {
    pub status: Status,
    scope_at_start: BTreeSet<String>,
    added: BTreeSet<String>,
    /// The report in the answer of the completion.
    pub report: Option<Value>,
    /// Cards deleted in the start's batch. The answers don't show the order.
    pub unsure: BTreeSet<String>,
}

/// The state according to the answers.
pub struct Model {
    /// From left to right.
    pub columns: Vec<Column>,
    pub cards: BTreeMap<String, Card>,
    pub deleted: BTreeMap<String, Card>,
    pub sprints: BTreeMap<String, Sprint>,
    /// The cards deleted in the current batch. A deletion doesn't lock the board, so moves that follow it in the
    /// history may still have seen the card.
    pub ghosts: BTreeMap<String, Place>,
    is_batch: bool,
}

impl Model {
    pub fn new(columns: Vec<Column>) -> Self {
        Self {
            columns,
            cards: BTreeMap::new(),
            deleted: BTreeMap::new(),
            sprints: BTreeMap::new(),
            ghosts: BTreeMap::new(),
            is_batch: false,
        }
    }

    /// Begins a batch of concurrent operations.
    pub fn begin_batch(&mut self) {
        self.ghosts.clear();
        self.is_batch = true;
    }

    /// The cards of a column from the top.
    pub fn cards_in_column(&self, column: &str) -> Vec<&str> {
        let mut standing: Vec<(&str, &str)> = self
            .placed()
            .filter(|(_, place)| place.column == column)
            .map(|(id, place)| (place.rank.as_str(), id.as_str()))
            .collect();
        standing.sort_unstable();
        standing.into_iter().map(|(_, id)| id).collect()
    }

    /// True if a card's answer equals the model.
    pub fn is_known(&self, operation: &Operation, shown: &Value) -> bool {
        let card = operation.card().and_then(|id| self.cards.get(id));
        card.is_some_and(|card| shown["historyHeadId"] == *card.head())
    }

    /// Applies an answered operation.
    pub fn apply(&mut self, operation: &Operation, done: &Outcome) {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        match operation {
            Operation::Create => {
                let history = vec![(text(&done.shown["historyHeadId"]), BTreeSet::new())];
                self.cards.insert(
                    text(&done.shown["card"]["id"]),
                    Card { is_open: true, place: None, last: None, history },
                );
            }
            Operation::CreateSprint => {
                let sprint = Sprint {
                    status: Status::Planned,
                    scope_at_start: BTreeSet::new(),
                    added: BTreeSet::new(),
                    report: None,
                    unsure: BTreeSet::new(),
                };
                self.sprints.insert(text(&done.shown["sprint"]["id"]), sprint);
            }
            Operation::Start { sprint: id, .. } => {
                let cards = self.cards_in(id);
                let ghosts = self.ghosts.iter().filter(|(_, place)| place.sprint.as_ref() == Some(id));
                let unsure: Vec<String> = ghosts.map(|(card, _)| card.clone()).collect();
                let sprint = self.sprints.get_mut(id).unwrap();
                (sprint.status, sprint.scope_at_start) = (Status::Active, cards);
                sprint.unsure.extend(unsure);
            }
            Operation::Complete { sprint, to } => self.complete(sprint, to, done),
            Operation::SetState { column: id, state } => {
                let column = self.columns.iter_mut().find(|column| column.id == *id).unwrap();
                column.state = state;
            }
            _ => self.apply_to_card(operation, &done.shown),
        }
    }

    fn apply_to_card(&mut self, operation: &Operation, shown: &Value) {
        let id = operation.card().unwrap().to_owned();
        let mut card = self.cards.remove(&id).unwrap();
        let mut moved = self.moved_by(operation, &card);
        let head = shown["historyHeadId"].as_str().unwrap().to_owned();
        match operation {
            Operation::SetOpen { is_open, .. } => card.is_open = *is_open,
            Operation::TakeOff { .. } => card.last = card.place.take(),
            Operation::Place { to, .. } => {
                let place = &shown["placement"];
                let text = |field: &str| place[field].as_str().map(str::to_owned);
                card.is_open = self.leaves_open(&card, to);
                let place = Place {
                    column: text("status_id").unwrap(),
                    sprint: text("sprint_id"),
                    rank: text("rank").unwrap(),
                };
                moved.remove("place");
                if card.place.as_ref() != Some(&place) {
                    moved.insert("place");
                }
                if let Some(sprint) = &place.sprint {
                    self.sprints.get_mut(sprint).unwrap().enter(&id);
                }
                card.place = Some(place);
            }
            _ => {}
        }
        let is_deletion = matches!(operation, Operation::Delete { .. });
        let is_new = head != *card.head();
        assert_eq!(is_new, is_deletion || !moved.is_empty(), "{operation:?}: {shown}");
        if is_new {
            assert!(card.history.iter().all(|(earlier, _)| *earlier != head), "a head came twice");
            card.history.push((head, moved));
        }
        if !is_deletion {
            self.cards.insert(id, card);
            return;
        }
        if let Some(place) = card.place.take().filter(|_| self.is_batch) {
            if let Some(sprint) = &place.sprint {
                self.sprints.get_mut(sprint).unwrap().unsure.insert(id.clone());
            }
            self.ghosts.insert(id.clone(), place);
        }
        self.deleted.insert(id, card);
    }

    fn complete(&mut self, id: &str, to: &str, done: &Outcome) {
        let [_, _, _, _, mut carried] = self.report(id);
        if to == "keep" {
            carried.clear();
        }
        assert_eq!(done.shown["movedCards"], carried.len(), "{}", done.shown);
        let sprint = self.sprints.get_mut(id).unwrap();
        (sprint.status, sprint.report) = (Status::Completed, Some(done.shown["report"].clone()));
        let to = self.sprints.get_mut(to).map(|sprint| {
            carried.iter().for_each(|card| sprint.enter(card));
            to.to_owned()
        });
        for id in carried {
            let card = self.cards.get_mut(&id).unwrap();
            card.place.as_mut().unwrap().sprint.clone_from(&to);
            card.history.push((done.carried[&id].clone(), BTreeSet::from(["place"])));
        }
    }

    /// The expected report of a started sprint: scope at start, added, removed, done, carried over.
    pub fn report(&self, id: &str) -> [BTreeSet<String>; 5] {
        let sprint = &self.sprints[id];
        let there = self.cards_in(id);
        let is_done = |id: &String| {
            let card = &self.cards[id];
            !card.is_open || self.column(&card.place.as_ref().unwrap().column).state == "closed"
        };
        let (done, left): (BTreeSet<String>, BTreeSet<String>) = there.iter().cloned().partition(is_done);
        let ever = sprint.scope_at_start.union(&sprint.added);
        let removed = ever.filter(|id| !there.contains(*id)).cloned().collect();
        [sprint.scope_at_start.clone(), sprint.added.clone(), removed, done, left]
    }

    pub fn placed(&self) -> impl Iterator<Item = (&String, &Place)> {
        self.cards.iter().filter_map(|(id, card)| Some((id, card.place.as_ref()?)))
    }

    fn cards_in(&self, sprint: &str) -> BTreeSet<String> {
        let cards = self.placed().filter(|(_, place)| place.sprint.as_deref() == Some(sprint));
        cards.map(|(id, _)| id.clone()).collect()
    }

    pub fn column(&self, id: &str) -> &Column {
        self.columns.iter().find(|column| column.id == id).unwrap()
    }

    pub fn column_of(&self, card: &Card, to: &Move) -> &Column {
        let place = card.place.as_ref().or(card.last.as_ref());
        let id = to.column.as_ref().or(place.map(|place| &place.column));
        id.map_or(&self.columns[0], |id| self.column(id))
    }

    /// The sprint of a card after a move.
    pub fn sprint_of(&self, card: &Card, to: &Move) -> Option<String> {
        let is_open = |sprint: &&String| self.sprints[*sprint].status != Status::Completed;
        match &to.sprint {
            Some(sprint) => sprint.clone(),
            None if card.place.is_some() => card.sprint().cloned(),
            None => card.returns(to).and_then(|last| last.sprint.as_ref()).filter(is_open).cloned(),
        }
    }
}

impl Card {
    pub fn head(&self) -> &str {
        &self.history.last().unwrap().0
    }

    pub fn sprint(&self) -> Option<&String> {
        self.place.as_ref().and_then(|place| place.sprint.as_ref())
    }

    /// The place to which a move returns the card: that from which it was taken off.
    pub fn returns(&self, to: &Move) -> Option<&Place> {
        self.last.as_ref().filter(|_| self.place.is_none() && to.column.is_none())
    }

    pub fn enters(&self, column: &Column) -> bool {
        self.place.as_ref().is_none_or(|place| place.column != column.id)
    }

    pub fn moved_since(&self, head: &str) -> BTreeSet<&'static str> {
        let at = self.history.iter().position(|(earlier, _)| earlier == head).unwrap();
        self.history[at + 1..].iter().flat_map(|(_, moved)| moved.clone()).collect()
    }
}

impl Sprint {
    fn enter(&mut self, card: &str) {
        if self.status == Status::Active && !self.scope_at_start.contains(card) {
            self.added.insert(card.to_owned());
        }
    }
}
