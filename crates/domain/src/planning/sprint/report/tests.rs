//! Reports of histories, by hand and at random.

use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{ColumnChange, SprintCardChange, SprintFacts, SprintReport, Tally};
use crate::id::{CardId, ProjectId, SprintId, StatusId, TeamId};
use crate::planning::history::{FieldChanges, Sequence};
use crate::planning::sprint::SprintStatus;
use crate::planning::status::TransitionState;
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
    let (inside, outside) = (place(Some(SPRINT), "started"), place(Some(SprintId(Uuid::nil())), "closed"));
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
    let gone = json!({ "name": { "before": "x", "after": null }, "effort": { "before": 3, "after": null } });
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
