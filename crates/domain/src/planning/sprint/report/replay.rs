//! The replay of a sprint's rows: the state after each, of which the report is made at the end.

use std::collections::BTreeMap;

use serde_json::Value;
use time::Date;

use super::{
    ColumnChange, Day, ReportCard, SprintCardChange, SprintFacts, SprintReport, SprintReportPart, Tally,
};
use crate::id::{CardId, ProjectId, StatusId};
use crate::planning::board::Placement;
use crate::planning::history::{Sequence, TEAM_PLACEMENT};
use crate::planning::sprint::SPRINT_MAX_SECS;
use crate::planning::status::TransitionState;
use crate::time::Timestamp;

/// The state after the rows so far.
pub(super) struct Replay<'a> {
    course: &'a SprintFacts,
    cards: BTreeMap<CardId, CardReplay>,
    columns: BTreeMap<StatusId, TransitionState>,
    /// Set once the replay has passed the start.
    at_start: Option<SprintReportPart>,
    days: Vec<Day>,
    /// The next day to end and the day after the last; `None` without dates.
    next: Option<Date>,
    until: Date,
}

/// A card after the rows so far.
struct CardReplay {
    project: ProjectId,
    name: String,
    effort: i64,
    is_open: bool,
    /// The card's column if it is in the sprint.
    in_sprint: Option<StatusId>,
    /// The effort at the card's last moment in the sprint.
    effort_in_sprint: i64,
    /// True if the card was added after the start.
    was_added: bool,
    was_in_scope: bool,
}

impl CardReplay {
    fn told(&self, id: CardId, effort: i64) -> ReportCard {
        ReportCard { id, project_id: self.project, name: self.name.clone(), effort }
    }
}

impl<'a> Replay<'a> {
    pub(super) fn new(course: &'a SprintFacts) -> Self {
        let first = course.start.filter(|_| course.started.is_some()).map(|start| course.zone.day_of(start));
        let last_day = course.end.map_or(course.as_of, |end| {
            // Bounds the days of a sprint that is never completed.
            course.as_of.min(end.plus_seconds(SPRINT_MAX_SECS))
        });
        let until = next_day(course.zone.day_of(last_day));
        let (cards, columns) = (BTreeMap::new(), BTreeMap::new());
        Self { course, cards, columns, at_start: None, days: Vec::new(), next: first, until }
    }

    /// Passes to the row `sequence`: records the scope at start before the first later row, and ends the days before `time`.
    pub(super) fn advance(&mut self, sequence: Sequence, time: Timestamp) {
        if self.course.started.is_some_and(|started| started < sequence) {
            self.begin();
        }
        self.end_days_before(time);
    }

    /// Gives a column its new state, and with it the cards there.
    pub(super) fn change_column(&mut self, change: &ColumnChange) {
        self.advance(change.sequence, change.at);
        self.columns.insert(change.column, change.state);
    }

    fn is_done(&self, card: &CardReplay) -> bool {
        let column = card.in_sprint.and_then(|column| self.columns.get(&column));
        !card.is_open || column == Some(&TransitionState::Closed)
    }

    pub(super) fn begin(&mut self) {
        if self.at_start.is_some() {
            return;
        }
        let mut scope = Vec::new();
        for (id, card) in &mut self.cards {
            card.was_in_scope = card.in_sprint.is_some();
            if card.was_in_scope {
                scope.push(card.told(*id, card.effort));
            }
        }
        self.at_start = Some(SprintReportPart::of(scope.into_iter()));
    }

    /// Ends the days that are over at `time`, once the start has passed.
    fn end_days_before(&mut self, time: Timestamp) {
        if self.at_start.is_none() {
            return;
        }
        while let Some(day) =
            self.next.filter(|day| *day < self.until && self.course.zone.start_of(next_day(*day)) <= time)
        {
            self.end_day(day);
        }
    }

    /// Ends all remaining days.
    pub(super) fn end(&mut self) {
        while let Some(day) = self.next.filter(|day| *day < self.until) {
            self.end_day(day);
        }
    }

    fn end_day(&mut self, day: Date) {
        let (mut scope, mut done, mut remaining) = (Tally::default(), Tally::default(), Tally::default());
        for card in self.cards.values().filter(|card| card.in_sprint.is_some()) {
            scope.add(card.effort);
            if self.is_done(card) { done.add(card.effort) } else { remaining.add(card.effort) }
        }
        self.days.push(Day { day: self.course.zone.start_of(day), scope, done, remaining });
        self.next = Some(next_day(day));
    }

    pub(super) fn apply(&mut self, event: &SprintCardChange) {
        let has_begun = self.at_start.is_some();
        let card = self.cards.entry(event.card).or_insert_with(|| CardReplay {
            project: event.project,
            name: String::new(),
            effort: 0,
            is_open: true,
            in_sprint: None,
            effort_in_sprint: 0,
            was_added: false,
            was_in_scope: false,
        });
        let after = |field| event.changes.of(field).map(|(_, after)| after);
        // A deletion has no values after it; keep the last known ones.
        if let Some(name) = after("name").and_then(Value::as_str) {
            name.clone_into(&mut card.name);
        }
        if let Some(effort) = after("effort").and_then(Value::as_i64) {
            card.effort = effort;
        }
        if let Some(is_open) = after("is_open").and_then(Value::as_bool) {
            card.is_open = is_open;
        }
        if let Some((before, after)) = event.changes.of(TEAM_PLACEMENT) {
            let read = |place: &Value| serde_json::from_value::<Placement>(place.clone()).ok();
            let (before, after) = (read(before), read(after));
            let team = before.as_ref().or(after.as_ref()).map(|place| place.team_id);
            if team == Some(self.course.team) {
                // A row has the state that its column had: it tells of changes before they were recorded.
                if let Some(place) = &after {
                    self.columns.insert(place.status_id, place.transition_state);
                }
                let here = after.filter(|place| place.sprint_id == Some(self.course.sprint));
                card.in_sprint = here.map(|place| place.status_id);
            }
        }
        if card.in_sprint.is_some() {
            card.effort_in_sprint = card.effort;
            card.was_added |= has_begun && !card.was_in_scope;
        }
    }

    pub(super) fn report(mut self) -> SprintReport {
        let mut scope_at_start = self.at_start.take().unwrap_or_default();
        let days = std::mem::take(&mut self.days);
        let cards = &self.cards;
        let part = |is_in: &dyn Fn(&CardReplay) -> bool| {
            let chosen = cards.iter().filter(|(_, card)| is_in(card));
            SprintReportPart::of(chosen.map(|(id, card)| card.told(*id, card.effort_in_sprint)))
        };
        for told in &mut scope_at_start.cards {
            if let Some(card) = cards.get(&told.id) {
                told.name.clone_from(&card.name);
            }
        }
        SprintReport {
            sprint_id: self.course.sprint,
            status: self.course.status,
            as_of: self.course.as_of,
            scope_at_start,
            added: part(&|card| card.was_added),
            removed: part(&|card| card.in_sprint.is_none() && (card.was_added || card.was_in_scope)),
            done: part(&|card| card.in_sprint.is_some() && self.is_done(card)),
            carried_over: part(&|card| card.in_sprint.is_some() && !self.is_done(card)),
            days,
        }
    }
}

fn next_day(day: Date) -> Date {
    day.next_day().unwrap_or(day)
}
