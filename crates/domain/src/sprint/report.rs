//! Sprint reports: a pure function of the history of all cards that were ever in the sprint, and of the changes of the
//! team's columns.
//!
//! The same rows always give the same report.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::Date;

use crate::board::Placement;
use crate::history::{FieldChanges, Sequence, TEAM_PLACEMENT};
use crate::id::{CardId, ProjectId, SprintId, StatusId, TeamId};
use crate::sprint::{SPRINT_MAX_SECS, SprintStatus};
use crate::status::TransitionState;
use crate::time::{Timestamp, Zone};

/// A sprint's report. Numbers count every card; the lists name those that the reader can read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReport")]
pub struct SprintReport {
    /// The sprint.
    pub sprint_id: SprintId,
    /// State of the sprint. The report of a completed sprint never changes.
    pub status: SprintStatus,
    /// The moment that the report describes.
    pub as_of: Timestamp,
    /// Cards in the sprint at its start, with their effort at that time; for a planned sprint, its cards now.
    pub scope_at_start: SprintReportPart,
    /// Cards added after the start, including those that left again.
    pub added: SprintReportPart,
    /// Cards that left after the start for good: removed from the sprint or the board, or deleted.
    pub removed: SprintReportPart,
    /// Cards in the sprint at the end that are closed or in a column that is closed then.
    pub done: SprintReportPart,
    /// Cards in the sprint at the end that are not done.
    pub carried_over: SprintReportPart,
    /// The burndown: each day of the team's time zone from the start date to the day of `as_of`. Empty for a planned sprint.
    pub days: Vec<Day>,
}

/// A group of the sprint's cards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportPart")]
pub struct SprintReportPart {
    /// All cards.
    pub total: Tally,
    /// The cards that the reader can read.
    pub cards: Vec<ReportCard>,
}

/// A number of cards and their effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportTally")]
pub struct Tally {
    /// Number of cards.
    pub cards: i64,
    /// Sum of their effort.
    pub effort: i64,
}

/// A card in a report. It may have been deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportCard")]
pub struct ReportCard {
    /// Its id.
    pub id: CardId,
    /// Its project.
    pub project_id: ProjectId,
    /// Name at the end.
    pub name: String,
    /// Estimate: in `scope_at_start` that at the start, elsewhere that of the card's last moment in the sprint.
    pub effort: i64,
}

/// The sprint at the end of a day. Days before the actual start show the scope at start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportDay")]
pub struct Day {
    /// The beginning of the day in the team's time zone.
    pub day: Timestamp,
    /// Cards in the sprint.
    pub scope: Tally,
    /// Cards that were done.
    pub done: Tally,
    /// Cards that were not done.
    pub remaining: Tally,
}

/// The sprint of a report.
#[derive(Clone, Debug)]
pub struct SprintFacts {
    /// The sprint.
    pub sprint: SprintId,
    /// Its team.
    pub team: TeamId,
    /// The time zone of its days.
    pub zone: Zone,
    /// State.
    pub status: SprintStatus,
    /// Start date.
    pub start: Option<Timestamp>,
    /// End date.
    pub end: Option<Timestamp>,
    /// The last history sequence before its start; `None` for a planned sprint.
    pub started: Option<Sequence>,
    /// Its completion, or now.
    pub as_of: Timestamp,
}

/// A history row of a card that was ever in the sprint.
#[derive(Clone, Debug)]
pub struct SprintCardChange {
    /// Sequence of the row.
    pub sequence: Sequence,
    /// The card.
    pub card: CardId,
    /// Its project.
    pub project: ProjectId,
    /// Time of the row.
    pub at: Timestamp,
    /// The changed fields.
    pub changes: FieldChanges,
}

/// A change of a column's transition state. Its cards are judged by the new state from then on.
#[derive(Clone, Copy, Debug)]
pub struct ColumnChange {
    /// Its number in the sequence of history rows.
    pub sequence: Sequence,
    /// The column.
    pub column: StatusId,
    /// Time of the change.
    pub at: Timestamp,
    /// The new state.
    pub state: TransitionState,
}

/// Computes a report from the rows of the sprint's cards and the changes of the team's columns up to its completion or
/// now, both ordered by sequence.
pub fn report(course: &SprintFacts, events: &[SprintCardChange], columns: &[ColumnChange]) -> SprintReport {
    let mut replay = Replay::new(course);
    let mut columns = columns.iter().peekable();
    for event in events {
        while let Some(change) = columns.next_if(|change| change.sequence < event.sequence) {
            replay.change_column(change);
        }
        replay.advance(event.sequence, event.at);
        replay.apply(event);
    }
    for change in columns {
        replay.change_column(change);
    }
    replay.begin();
    replay.end();
    replay.report()
}

impl SprintReport {
    /// Removes the cards of unreadable projects from the lists.
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

    /// The projects of the listed cards.
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

impl SprintReportPart {
    fn of(cards: impl Iterator<Item = ReportCard>) -> Self {
        let mut part = Self::default();
        for card in cards {
            part.total.add(card.effort);
            part.cards.push(card);
        }
        part
    }
}

/// The state after the rows so far.
struct Replay<'a> {
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
    fn new(course: &'a SprintFacts) -> Self {
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
    fn advance(&mut self, sequence: Sequence, time: Timestamp) {
        if self.course.started.is_some_and(|started| started < sequence) {
            self.begin();
        }
        self.end_days_before(time);
    }

    /// Gives a column its new state, and with it the cards there.
    fn change_column(&mut self, change: &ColumnChange) {
        self.advance(change.sequence, change.at);
        self.columns.insert(change.column, change.state);
    }

    fn is_done(&self, card: &CardReplay) -> bool {
        let column = card.in_sprint.and_then(|column| self.columns.get(&column));
        !card.is_open || column == Some(&TransitionState::Closed)
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
    fn end(&mut self) {
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

    fn apply(&mut self, event: &SprintCardChange) {
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

    fn report(mut self) -> SprintReport {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, proptest};
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::{ColumnChange, SprintCardChange, SprintFacts, SprintReport, Tally};
    use crate::history::{FieldChanges, Sequence};
    use crate::id::{CardId, ProjectId, SprintId, StatusId, TeamId};
    use crate::sprint::SprintStatus;
    use crate::status::TransitionState;
    use crate::time::{Timestamp, Zone};

    const SPRINT: SprintId = SprintId(Uuid::from_u128(1));
    const TEAM: TeamId = TeamId(Uuid::from_u128(2));

    fn time(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn course(started: Option<i64>) -> SprintFacts {
        SprintFacts {
            sprint: SPRINT,
            team: TEAM,
            zone: Zone::UTC,
            status: if started.is_some() { SprintStatus::Active } else { SprintStatus::Planned },
            start: Some(time("2026-11-02T00:00:00Z")),
            end: Some(time("2026-11-15T23:59:59.999Z")),
            started: started.map(Sequence),
            as_of: time("2026-11-05T12:00:00Z"),
        }
    }

    fn event(sequence: i64, card: u128, at: &str, changes: Value) -> SprintCardChange {
        SprintCardChange {
            sequence: Sequence(sequence),
            card: CardId(Uuid::from_u128(card)),
            project: ProjectId(Uuid::from_u128(3)),
            at: time(at),
            changes: serde_json::from_value::<FieldChanges>(changes).unwrap(),
        }
    }

    /// The column of each state.
    fn column(state: &str) -> StatusId {
        StatusId(Uuid::from_u128(if state == "closed" { 4 } else { 5 }))
    }

    /// A report on columns that stay as they are.
    fn report(course: &SprintFacts, events: &[SprintCardChange]) -> SprintReport {
        super::report(course, events, &[])
    }

    fn place(sprint: Option<SprintId>, state: &str) -> Value {
        json!({
            "team_id": TEAM, "status_id": column(state), "transition_state": state, "sprint_id": sprint, "rank": "a0",
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

    fn days(report: &SprintReport) -> Vec<(i64, i64, i64)> {
        report.days.iter().map(|day| (day.scope.effort, day.done.effort, day.remaining.effort)).collect()
    }

    #[test]
    fn the_burndown_has_each_day_from_the_start_to_today() {
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
    fn days_are_those_of_the_teams_time_zone() {
        let events = [
            event(1, 10, "2026-11-01T10:00:00Z", created(3)),
            event(2, 10, "2026-11-01T10:00:00Z", moved(Value::Null, place(Some(SPRINT), "started"))),
            event(4, 10, "2026-11-02T16:00:00Z", json!({ "is_open": { "before": true, "after": false } })),
        ];
        let tokyo = SprintFacts {
            zone: "Asia/Tokyo".parse().unwrap(),
            start: Some(time("2026-11-01T15:00:00Z")),
            ..course(Some(3))
        };
        let told = report(&tokyo, &events);
        let first = told.days.first().unwrap();
        assert_eq!((first.day, told.days.len()), (time("2026-11-01T15:00:00Z"), 4));
        assert_eq!(days(&told), [(3, 0, 3), (3, 3, 0), (3, 3, 0), (3, 3, 0)]);
    }

    #[test]
    fn cards_are_judged_by_their_column_as_it_is_from_each_change_on() {
        let inside = place(Some(SPRINT), "started");
        let events = [
            event(1, 10, "2026-11-01T10:00:00Z", created(3)),
            event(2, 10, "2026-11-01T10:00:00Z", moved(Value::Null, inside)),
        ];
        let change = |sequence, at, state| ColumnChange {
            sequence: Sequence(sequence),
            column: column("started"),
            at: time(at),
            state,
        };
        let closed = change(4, "2026-11-03T10:00:00Z", TransitionState::Closed);
        let told = super::report(&course(Some(3)), &events, &[closed]);
        assert_eq!((told.done.total.cards, told.carried_over.total.cards), (1, 0));
        assert_eq!(days(&told), [(3, 0, 3), (3, 3, 0), (3, 3, 0), (3, 3, 0)]);
        let opened = change(6, "2026-11-05T10:00:00Z", TransitionState::Started);
        let grown = event(5, 10, "2026-11-04T10:00:00Z", json!({ "effort": { "before": 3, "after": 5 } }));
        let told = super::report(&course(Some(3)), &[&events[..], &[grown]].concat(), &[closed, opened]);
        assert_eq!(days(&told), [(3, 0, 3), (3, 3, 0), (5, 5, 0), (5, 0, 5)]);
        assert_eq!((told.done.total.cards, told.carried_over.total.cards), (0, 1));
    }

    #[test]
    fn other_boards_and_other_sprints_do_not_count() {
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
    fn deleted_cards_count_as_removed() {
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

    /// Random changes of a few cards, one hour apart.
    fn histories() -> impl Strategy<Value = Vec<SprintCardChange>> {
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
        fn the_groups_add_up_and_match_the_last_day(events in histories(), started in 0..60_i64) {
            let told = report(&course(Some(started)), &events);
            let cards = |part: &super::SprintReportPart| part.total.cards;
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
        fn rows_outside_the_sprint_change_nothing(events in histories(), started in 0..60_i64) {
            let told = report(&course(Some(started)), &events);
            let idle = |event: &SprintCardChange| SprintCardChange { changes: FieldChanges::none().and("tag_id", 1, 2), ..event.clone() };
            let padded: Vec<SprintCardChange> = events.iter().flat_map(|event| [event.clone(), idle(event)]).collect();
            prop_assert_eq!(report(&course(Some(started)), &padded), told.clone());
            let nobody = told.clone().readable_by(|_| false);
            prop_assert!(nobody.projects().is_empty());
            prop_assert_eq!(nobody.done.total, told.done.total);
        }
    }
}
