//! What a sprint came to, told by the history of the cards that were ever in it: a pure function of history rows, so
//! that it says the same whenever it is asked up to the same row.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::Duration;

use crate::board::Placement;
use crate::history::{Changes, Sequence, TEAM_PLACEMENT};
use crate::id::{CardId, ProjectId, SprintId, TeamId};
use crate::sprint::{SPRINT_MAX_SECS, SprintStatus};
use crate::status::TransitionState;
use crate::time::Timestamp;

/// A sprint's report. Numbers count every card; the lists name those that the reader can read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReport")]
pub struct Report {
    /// The sprint.
    pub sprint_id: SprintId,
    /// How far the sprint was; the report of a completed one never changes.
    pub status: SprintStatus,
    /// When this was so.
    pub as_of: Timestamp,
    /// What was in the sprint when it started; in a planned one, what is in it now. With the effort of that time.
    pub scope_at_start: Part,
    /// What came in after the start, whether it stayed or not.
    pub added: Part,
    /// What left after the start and is not in it at the end: taken out, taken off the board, or deleted.
    pub removed: Part,
    /// What is in it at the end and done: closed, or in a column that is.
    pub done: Part,
    /// What is in it at the end and not done.
    pub carried_over: Part,
    /// Each day from the sprint's start date, in UTC, to the day of `as_of`; none before it is started.
    pub days: Vec<Day>,
}

/// Some of a sprint's cards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportPart")]
pub struct Part {
    /// All of them.
    pub total: Tally,
    /// Those that the reader can read.
    pub cards: Vec<ReportCard>,
}

/// Cards and their effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportTally")]
pub struct Tally {
    /// How many.
    pub cards: i64,
    /// Their effort.
    pub effort: i64,
}

/// A card in a report, which may be deleted since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportCard")]
pub struct ReportCard {
    /// Its id.
    pub id: CardId,
    /// Its project.
    pub project_id: ProjectId,
    /// Its name at the end.
    pub name: String,
    /// Its estimate: at the start in the scope at start, else when it was last in the sprint.
    pub effort: i64,
}

/// The state at the end of a day: what a burndown is drawn of. Before the day of the start it is the scope at start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportDay")]
pub struct Day {
    /// Midnight UTC, at which the day begins.
    pub day: Timestamp,
    /// What was in the sprint.
    pub scope: Tally,
    /// What of it was done.
    pub done: Tally,
    /// What of it was not.
    pub remaining: Tally,
}

/// The sprint that is reported on.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// The sprint.
    pub sprint: SprintId,
    /// Its team.
    pub team: TeamId,
    /// How far it is.
    pub status: SprintStatus,
    /// When it begins.
    pub start: Option<Timestamp>,
    /// When it ends.
    pub end: Option<Timestamp>,
    /// The number of the history at which it was started; `None` before that.
    pub started: Option<Sequence>,
    /// When it was completed, or now.
    pub as_of: Timestamp,
}

/// A row of the history of a card that was ever in the sprint.
#[derive(Clone, Debug)]
pub struct Event {
    /// The row's number.
    pub sequence: Sequence,
    /// The card.
    pub card: CardId,
    /// Its project.
    pub project: ProjectId,
    /// When.
    pub at: Timestamp,
    /// What changed.
    pub changes: Changes,
}

/// The report on a sprint by the rows of its cards, in the order of their numbers, up to its completion or now.
pub fn report(course: &Course, events: &[Event]) -> Report {
    let mut replay = Replay::new(course);
    for event in events {
        replay.begin_where_started(event.sequence);
        replay.end_days_before(event.at);
        replay.apply(event);
    }
    replay.begin();
    replay.end();
    replay.report()
}

impl Report {
    /// The same, its lists naming only cards of projects that `is_readable` says.
    #[must_use]
    pub fn readable_by(mut self, is_readable: impl Fn(ProjectId) -> bool) -> Self {
        for part in [
            &mut self.scope_at_start,
            &mut self.added,
            &mut self.removed,
            &mut self.done,
            &mut self.carried_over,
        ] {
            part.cards.retain(|card| is_readable(card.project_id));
        }
        self
    }

    /// The projects whose cards its lists name.
    pub fn projects(&self) -> Vec<ProjectId> {
        let parts = [&self.scope_at_start, &self.added, &self.removed, &self.done, &self.carried_over];
        let mut projects: Vec<ProjectId> =
            parts.iter().flat_map(|part| &part.cards).map(|card| card.project_id).collect();
        projects.sort();
        projects.dedup();
        projects
    }
}

impl Tally {
    fn add(&mut self, effort: i64) {
        self.cards += 1;
        self.effort += effort;
    }
}

impl Part {
    fn of(cards: impl Iterator<Item = ReportCard>) -> Self {
        let mut part = Self::default();
        for card in cards {
            part.total.add(card.effort);
            part.cards.push(card);
        }
        part
    }
}

/// What the history has told so far.
struct Replay<'a> {
    course: &'a Course,
    cards: BTreeMap<CardId, State>,
    /// The scope at start, once the start is passed.
    at_start: Option<Part>,
    days: Vec<Day>,
    /// The day that is to be ended next, and the one after the last; none where the sprint has no dates.
    next: Option<Timestamp>,
    until: Timestamp,
}

/// A card as the history tells of it so far.
struct State {
    project: ProjectId,
    name: String,
    effort: i64,
    is_open: bool,
    /// Whether it is in the sprint, and then whether its column is closed.
    in_sprint: Option<bool>,
    /// Its effort when it was last in the sprint.
    effort_in_sprint: i64,
    /// Whether it came in after the start.
    was_added: bool,
    was_in_scope: bool,
}

impl State {
    fn is_done(&self) -> bool {
        !self.is_open || self.in_sprint == Some(true)
    }

    fn told(&self, id: CardId, effort: i64) -> ReportCard {
        ReportCard { id, project_id: self.project, name: self.name.clone(), effort }
    }
}

impl<'a> Replay<'a> {
    fn new(course: &'a Course) -> Self {
        let first = course.start.filter(|_| course.started.is_some()).map(midnight);
        let last_day = course.end.map_or(course.as_of, |end| {
            // A sprint that nobody completes does not go on for ever.
            course.as_of.min(end.plus_seconds(SPRINT_MAX_SECS))
        });
        let until = next_day(midnight(last_day));
        Self { course, cards: BTreeMap::new(), at_start: None, days: Vec::new(), next: first, until }
    }

    /// Takes the scope at start before the first row after it.
    fn begin_where_started(&mut self, sequence: Sequence) {
        if self.course.started.is_some_and(|started| started < sequence) {
            self.begin();
        }
    }

    fn begin(&mut self) {
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
        self.at_start = Some(Part::of(scope.into_iter()));
    }

    /// Ends the days that were over at `time`, as far as the start is passed.
    fn end_days_before(&mut self, time: Timestamp) {
        if self.at_start.is_none() {
            return;
        }
        while let Some(day) = self.next.filter(|day| *day < self.until && next_day(*day) <= time) {
            self.end_day(day);
        }
    }

    /// Ends every day that is left.
    fn end(&mut self) {
        while let Some(day) = self.next.filter(|day| *day < self.until) {
            self.end_day(day);
        }
    }

    fn end_day(&mut self, day: Timestamp) {
        let (mut scope, mut done, mut remaining) = (Tally::default(), Tally::default(), Tally::default());
        for card in self.cards.values().filter(|card| card.in_sprint.is_some()) {
            scope.add(card.effort);
            if card.is_done() { done.add(card.effort) } else { remaining.add(card.effort) }
        }
        self.days.push(Day { day, scope, done, remaining });
        self.next = Some(next_day(day));
    }

    fn apply(&mut self, event: &Event) {
        let has_begun = self.at_start.is_some();
        let card = self.cards.entry(event.card).or_insert_with(|| State {
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
        // The row of a deletion has nothing after: what was last known stays.
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
                let here = after.filter(|place| place.sprint_id == Some(self.course.sprint));
                card.in_sprint = here.map(|place| place.transition_state == TransitionState::Closed);
            }
        }
        if card.in_sprint.is_some() {
            card.effort_in_sprint = card.effort;
            card.was_added |= has_begun && !card.was_in_scope;
        }
    }

    fn report(self) -> Report {
        let cards = &self.cards;
        let part = |is_in: &dyn Fn(&State) -> bool| {
            let chosen = cards.iter().filter(|(_, card)| is_in(card));
            Part::of(chosen.map(|(id, card)| card.told(*id, card.effort_in_sprint)))
        };
        let mut scope_at_start = self.at_start.unwrap_or_default();
        for told in &mut scope_at_start.cards {
            if let Some(card) = cards.get(&told.id) {
                told.name.clone_from(&card.name);
            }
        }
        Report {
            sprint_id: self.course.sprint,
            status: self.course.status,
            as_of: self.course.as_of,
            scope_at_start,
            added: part(&|card| card.was_added),
            removed: part(&|card| card.in_sprint.is_none() && (card.was_added || card.was_in_scope)),
            done: part(&|card| card.in_sprint.is_some() && card.is_done()),
            carried_over: part(&|card| card.in_sprint.is_some() && !card.is_done()),
            days: self.days,
        }
    }
}

fn midnight(time: Timestamp) -> Timestamp {
    Timestamp(time.0.date().midnight().assume_utc())
}

fn next_day(day: Timestamp) -> Timestamp {
    Timestamp(day.0.saturating_add(Duration::DAY))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, proptest};
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::{Course, Event, Report, Tally, report};
    use crate::history::{Changes, Sequence};
    use crate::id::{CardId, ProjectId, SprintId, TeamId};
    use crate::sprint::SprintStatus;
    use crate::time::Timestamp;

    const SPRINT: SprintId = SprintId(Uuid::from_u128(1));
    const TEAM: TeamId = TeamId(Uuid::from_u128(2));

    fn time(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn course(started: Option<i64>) -> Course {
        Course {
            sprint: SPRINT,
            team: TEAM,
            status: if started.is_some() { SprintStatus::Active } else { SprintStatus::Planned },
            start: Some(time("2026-11-02T00:00:00Z")),
            end: Some(time("2026-11-15T23:59:59.999Z")),
            started: started.map(Sequence),
            as_of: time("2026-11-05T12:00:00Z"),
        }
    }

    fn event(sequence: i64, card: u128, at: &str, changes: Value) -> Event {
        Event {
            sequence: Sequence(sequence),
            card: CardId(Uuid::from_u128(card)),
            project: ProjectId(Uuid::from_u128(3)),
            at: time(at),
            changes: serde_json::from_value::<Changes>(changes).unwrap(),
        }
    }

    fn place(sprint: Option<SprintId>, state: &str) -> Value {
        json!({
            "team_id": TEAM, "status_id": Uuid::nil(), "transition_state": state, "sprint_id": sprint, "rank": "a0",
        })
    }

    fn moved(before: Value, after: Value) -> Value {
        json!({ "team_placement": { "before": before, "after": after } })
    }

    fn created(effort: i64) -> Value {
        json!({
            "name": { "before": null, "after": "x" }, "effort": { "before": 0, "after": effort },
            "is_open": { "before": null, "after": true },
        })
    }

    fn days(report: &Report) -> Vec<(i64, i64, i64)> {
        report.days.iter().map(|day| (day.scope.effort, day.done.effort, day.remaining.effort)).collect()
    }

    #[test]
    fn a_burndown_has_each_day_from_the_start_to_today() {
        let (inside, done) = (place(Some(SPRINT), "started"), place(Some(SPRINT), "closed"));
        let events = [
            event(1, 10, "2026-10-30T10:00:00Z", created(3)),
            event(2, 11, "2026-10-30T10:00:00Z", created(5)),
            event(3, 10, "2026-11-01T10:00:00Z", moved(Value::Null, inside.clone())),
            event(4, 11, "2026-11-01T10:00:00Z", moved(Value::Null, inside.clone())),
            // Started here.
            event(6, 10, "2026-11-03T10:00:00Z", moved(inside.clone(), done)),
            event(7, 11, "2026-11-03T23:59:59.999Z", json!({ "effort": { "before": 5, "after": 8 } })),
            event(8, 12, "2026-11-04T00:00:00Z", created(1)),
            event(9, 12, "2026-11-04T00:00:00Z", moved(Value::Null, inside.clone())),
            event(10, 11, "2026-11-05T11:00:00Z", json!({ "is_open": { "before": true, "after": false } })),
        ];
        let told = report(&course(Some(5)), &events);
        assert_eq!(days(&told), [(8, 0, 8), (11, 3, 8), (12, 3, 9), (12, 11, 1)]);
        assert_eq!(told.scope_at_start.total, Tally { cards: 2, effort: 8 });
        assert_eq!(told.added.total, Tally { cards: 1, effort: 1 });
        assert_eq!(told.done.total, Tally { cards: 2, effort: 11 });
        assert_eq!(told.carried_over.total, Tally { cards: 1, effort: 1 });

        let planned = report(&course(None), events.get(..4).unwrap());
        assert_eq!(planned.scope_at_start.total, Tally { cards: 2, effort: 8 });
        assert!(planned.days.is_empty());
    }

    #[test]
    fn what_happens_on_other_boards_and_in_other_sprints_is_not_told() {
        let (inside, outside) =
            (place(Some(SPRINT), "started"), place(Some(SprintId(Uuid::nil())), "closed"));
        let mut foreign = place(Some(SPRINT), "closed");
        foreign["team_id"] = json!(Uuid::nil());
        let events = [
            event(1, 10, "2026-11-01T10:00:00Z", moved(Value::Null, inside.clone())),
            event(3, 10, "2026-11-03T10:00:00Z", moved(Value::Null, foreign)),
            event(4, 11, "2026-11-03T10:00:00Z", moved(Value::Null, outside.clone())),
        ];
        let told = report(&course(Some(2)), &events);
        assert_eq!(told.carried_over.total.cards, 1);
        assert_eq!((told.done.total.cards, told.added.total.cards), (0, 0));
        let left = event(5, 10, "2026-11-03T10:00:00Z", moved(inside, outside));
        let told = report(&course(Some(2)), &[&events[..], &[left]].concat());
        assert_eq!(told.removed.total.cards, 1);
    }

    #[test]
    fn a_card_that_is_deleted_stays_in_the_numbers_as_one_that_was_removed() {
        let inside = place(Some(SPRINT), "started");
        let gone =
            json!({ "name": { "before": "x", "after": null }, "effort": { "before": 3, "after": null } });
        let events = [
            event(1, 10, "2026-11-01T10:00:00Z", created(3)),
            event(2, 10, "2026-11-01T10:00:00Z", moved(Value::Null, inside.clone())),
            event(4, 10, "2026-11-03T10:00:00Z", moved(inside, Value::Null)),
            event(5, 10, "2026-11-03T10:00:00Z", gone),
        ];
        let told = report(&course(Some(3)), &events);
        assert_eq!(told.scope_at_start.total, Tally { cards: 1, effort: 3 });
        assert_eq!(told.removed.total, Tally { cards: 1, effort: 3 });
        assert_eq!(told.removed.cards.first().unwrap().name, "x");
    }

    /// Any changes of a few cards, an hour apart.
    fn histories() -> impl Strategy<Value = Vec<Event>> {
        let change = (0..6_u128, 0..7_u8, 0..9_i64);
        prop::collection::vec(change, 0..60).prop_map(|changes| {
            let first = time("2026-11-01T00:00:00Z");
            let event_of = |(index, (card, kind, number)): (usize, (u128, u8, i64))| {
                let index = i64::try_from(index).unwrap();
                let change = match kind {
                    0 => json!({ "effort": { "before": null, "after": number } }),
                    1 => json!({ "is_open": { "before": null, "after": number % 2 == 0 } }),
                    2 => moved(place(None, "started"), Value::Null),
                    3 => moved(Value::Null, place(None, "closed")),
                    4 => moved(Value::Null, place(Some(SPRINT), "closed")),
                    _ => moved(Value::Null, place(Some(SPRINT), "started")),
                };
                let at = first.plus_seconds(index * 3_600).to_string();
                event(index + 1, card, &at, change)
            };
            changes.into_iter().enumerate().map(event_of).collect()
        })
    }

    proptest! {
        #[test]
        fn the_parts_add_up_and_the_last_day_says_the_same(events in histories(), started in 0..60_i64) {
            let told = report(&course(Some(started)), &events);
            let cards = |part: &super::Part| part.total.cards;
            prop_assert_eq!(
                cards(&told.scope_at_start) + cards(&told.added),
                cards(&told.removed) + cards(&told.done) + cards(&told.carried_over)
            );
            for part in [&told.scope_at_start, &told.added, &told.removed, &told.done, &told.carried_over] {
                let effort: i64 = part.cards.iter().map(|card| card.effort).sum();
                prop_assert_eq!((part.total.cards, part.total.effort), (part.cards.len().try_into().unwrap(), effort));
            }
            prop_assert_eq!(told.days.len(), 4);
            for day in &told.days {
                prop_assert_eq!(day.scope.cards, day.done.cards + day.remaining.cards);
                prop_assert_eq!(day.scope.effort, day.done.effort + day.remaining.effort);
            }
            let last = told.days.last().unwrap();
            prop_assert_eq!((last.done, last.remaining), (told.done.total, told.carried_over.total));
        }

        #[test]
        fn rows_that_tell_of_nothing_in_it_change_nothing(events in histories(), started in 0..60_i64) {
            let told = report(&course(Some(started)), &events);
            let idle = |event: &Event| Event { changes: Changes::none().and("tag_id", 1, 2), ..event.clone() };
            let padded: Vec<Event> = events.iter().flat_map(|event| [event.clone(), idle(event)]).collect();
            prop_assert_eq!(report(&course(Some(started)), &padded), told.clone());
            let nobody = told.clone().readable_by(|_| false);
            prop_assert!(nobody.projects().is_empty());
            prop_assert_eq!(nobody.done.total, told.done.total);
        }
    }
}
