//! Flow reports by hand, and compared with a replay at random.

use std::collections::BTreeMap;

use proptest::prelude::{Strategy, prop, prop_assert_eq, proptest};
use time::macros::date;
use time::{Date, Duration, Weekday};
use uuid::Uuid;

use super::window::FlowWindow;
use super::{
    ColumnLoadChange, DoneDay, FlowColumn, FlowFacts, OpennessChange, WorkInProgress, levels, report,
};
use crate::id::StatusId;
use crate::time::{CalendarDay, Timestamp};

fn time(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn window(from: Option<Date>, to: Option<Date>, zone: &str) -> crate::Result<FlowWindow> {
    let day = |day: Option<Date>| day.map(CalendarDay);
    FlowWindow::new(day(from), day(to), zone.parse().unwrap(), time("2026-11-28T23:30:00Z"))
}

/// The five days that end today.
fn five_days() -> FlowWindow {
    window(Some(date!(2026 - 11 - 24)), None, "UTC").unwrap()
}

fn column(id: u128, name: &str) -> FlowColumn {
    FlowColumn { id: StatusId(Uuid::from_u128(id)), name: name.to_owned(), color: None, is_deleted: false }
}

#[test]
fn a_window_ends_today_in_its_zone_and_has_90_days() {
    let days = |zone: &str| {
        let window = window(None, None, zone).unwrap();
        format!("{} {} {}", window.first(), window.last(), window.days().len())
    };
    assert_eq!(days("UTC"), "2026-08-31 2026-11-28 90");
    assert_eq!(days("Europe/Berlin"), "2026-09-01 2026-11-29 90");
    let past = window(None, Some(date!(2026 - 03 - 31)), "UTC").unwrap();
    assert_eq!((past.first(), past.reaches_now()), (date!(2026 - 01 - 01), false));
    // No day after today counts.
    let ahead = window(Some(date!(2026 - 11 - 28)), Some(date!(2027 - 01 - 01)), "UTC").unwrap();
    assert_eq!((ahead.last(), ahead.days().len(), ahead.reaches_now()), (date!(2026 - 11 - 28), 1, true));
    assert_eq!(window(None, Some(date!(0001 - 01 - 02)), "UTC").unwrap().first(), date!(0001 - 01 - 01));
}

#[test]
fn a_window_that_is_reversed_or_too_long_is_refused() {
    let refusal = |from, to| window(Some(from), to, "UTC").unwrap_err().to_string();
    let to = Some(date!(2026 - 11 - 01));
    assert_eq!(refusal(date!(2026 - 11 - 02), to), "from: must not be after 2026-11-01");
    assert_eq!(refusal(date!(2026 - 11 - 29), None), "from: must not be after 2026-11-28");
    let earliest = date!(2023 - 10 - 29);
    assert_eq!(window(Some(earliest), to, "UTC").unwrap().days().len(), 1_100);
    let message = refusal(earliest.previous_day().unwrap(), to);
    assert_eq!(message, "from: must not be before 2023-10-29: a report has at most 1100 days");
}

#[test]
fn days_begin_and_end_by_the_zone() {
    // The clocks of Berlin were set back on the 25th.
    let window = window(Some(date!(2026 - 10 - 24)), Some(date!(2026 - 10 - 26)), "Europe/Berlin").unwrap();
    let bounds: Vec<String> = window.bounds().iter().map(ToString::to_string).collect();
    let expected = ["2026-10-23T22:00", "2026-10-24T22:00", "2026-10-25T23:00", "2026-10-26T23:00"];
    assert_eq!(bounds, expected.map(|minute| format!("{minute}:00.000Z")));
}

#[test]
fn days_are_computed_back_from_now() {
    let change = |day, created, open, closed| OpennessChange { day, created, open, closed };
    let facts = FlowFacts {
        open: 3,
        closed: 2,
        changes: vec![change(1, 2, 2, 0), change(2, 0, -1, 1), change(4, 1, 1, -1)],
        done: vec![DoneDay { day: 2, done: 1, cards: 1, effort: 5 }],
        ..FlowFacts::default()
    };
    let report = report(&five_days(), facts);
    let lines: Vec<String> = report
        .days
        .iter()
        .map(|day| format!("{} {}/{} +{} -{}", day.day, day.open, day.closed, day.created, day.done))
        .collect();
    let expected = [
        "2026-11-24 1/2 +0 -0",
        "2026-11-25 3/2 +2 -0",
        "2026-11-26 2/3 +0 -1",
        "2026-11-27 2/3 +0 -0",
        "2026-11-28 3/2 +1 -0",
    ];
    assert_eq!(lines, expected);
    let weeks: Vec<String> = report
        .throughput
        .iter()
        .map(|week| format!("{} {}/{}", week.week, week.cards, week.effort))
        .collect();
    assert_eq!(weeks, ["2026-11-23 1/5"]);
}

#[test]
fn deleted_columns_follow_the_present_ones_while_they_had_cards() {
    let (todo, doing) = (column(2, "To do"), column(1, "Doing"));
    let [review, unused] = [8, 9].map(|id| StatusId(Uuid::from_u128(id)));
    let change = |day, column, cards| ColumnLoadChange { day, column, cards };
    let facts = FlowFacts {
        columns: vec![todo.clone(), doing.clone()],
        in_columns: BTreeMap::from([(doing.id, 4)]),
        column_changes: vec![
            change(0, todo.id, 2),
            change(1, todo.id, -2),
            change(1, review, 2),
            change(3, review, -2),
            change(3, doing.id, 2),
            change(2, unused, 1),
            change(2, unused, -1),
        ],
        ..FlowFacts::default()
    };
    let report = report(&five_days(), facts);
    let deleted = FlowColumn { id: review, name: String::new(), color: None, is_deleted: true };
    assert_eq!(report.columns, [todo, doing, deleted]);
    let days: Vec<&[i64]> = report.days.iter().map(|day| day.columns.as_slice()).collect();
    assert_eq!(days, [[2, 2, 0], [0, 2, 2], [0, 2, 2], [0, 4, 0], [0, 4, 0]]);
}

#[test]
fn only_a_window_that_ends_today_has_work_in_progress() {
    let facts = FlowFacts { in_progress: Some(WorkInProgress::default()), ..FlowFacts::default() };
    assert!(report(&five_days(), facts.clone()).in_progress.is_some());
    let past = window(None, Some(date!(2026 - 11 - 27)), "UTC").unwrap();
    assert!(report(&past, facts).in_progress.is_none());
}

/// Cards, each with the days of its creation, its closing and its deletion, in this order.
fn lives(days: usize) -> impl Strategy<Value = Vec<[usize; 3]>> {
    let life = [0..days, 0..days, 0..days].prop_map(|mut life| {
        life.sort_unstable();
        life
    });
    prop::collection::vec(life, 0..20)
}

proptest! {
    #[test]
    fn going_back_from_now_agrees_with_a_replay(lives in lives(7), first in 0_usize..6) {
        // The days from `first` on are the window, which ends before the last day.
        let days = 6 - first;
        let from = date!(2026 - 11 - 22) + Duration::days(first.try_into().unwrap());
        let window = window(Some(from), Some(date!(2026 - 11 - 27)), "UTC").unwrap();
        let change = |day: usize, created, open, closed| {
            let day = day.checked_sub(first)?;
            Some(OpennessChange { day, created, open, closed })
        };
        let changes = lives.iter().flat_map(|[created, closed, deleted]| {
            [change(*created, 1, 1, 0), change(*closed, 0, -1, 1), change(*deleted, 0, 0, -1)]
        });
        let facts = FlowFacts { changes: changes.flatten().collect(), ..FlowFacts::default() };
        let report = report(&window, facts);
        prop_assert_eq!(report.days.len(), days);
        for (position, day) in report.days.iter().enumerate() {
            let at = first + position;
            let count = |is_counted: &dyn Fn(&[usize; 3]) -> bool| {
                i64::try_from(lives.iter().filter(|life| is_counted(life)).count()).unwrap()
            };
            prop_assert_eq!(day.open, count(&|[created, closed, _]| *created <= at && at < *closed));
            prop_assert_eq!(day.closed, count(&|[_, closed, deleted]| *closed <= at && at < *deleted));
            prop_assert_eq!(day.created, count(&|[created, ..]| *created == at));
        }
    }

    #[test]
    fn levels_are_the_present_number_without_later_changes(
        now in -1_000_i64..1_000, changes in prop::collection::vec(-50_i64..50, 1..60),
    ) {
        let levels = levels(now, &changes);
        prop_assert_eq!(levels.len(), changes.len() - 1);
        for (day, level) in levels.iter().enumerate() {
            prop_assert_eq!(level + changes[day + 1..].iter().sum::<i64>(), now);
        }
    }

    #[test]
    fn weeks_add_up_to_the_days(
        done in prop::collection::vec((0_usize..90, 0_i64..5, 0_i64..50), 0..40), back in 0_i64..400,
    ) {
        let to = date!(2026 - 11 - 28) - Duration::days(back);
        let window = window(None, Some(to), "UTC").unwrap();
        let day = |(day, cards, effort)| DoneDay { day, done: cards, cards, effort };
        let done: Vec<DoneDay> = done.into_iter().map(day).collect();
        let report = report(&window, FlowFacts { done: done.clone(), ..FlowFacts::default() });
        let sum = |of: fn(&DoneDay) -> i64| done.iter().map(of).sum::<i64>();
        prop_assert_eq!(report.throughput.iter().map(|week| week.cards).sum::<i64>(), sum(|day| day.cards));
        prop_assert_eq!(report.throughput.iter().map(|week| week.effort).sum::<i64>(), sum(|day| day.effort));
        prop_assert_eq!(report.days.iter().map(|day| day.done).sum::<i64>(), sum(|day| day.done));
        let mondays: Vec<Date> = report.throughput.iter().map(|week| week.week.0).collect();
        prop_assert_eq!(mondays.iter().filter(|day| day.weekday() != Weekday::Monday).count(), 0);
        let (first, last) = (mondays[0], mondays[mondays.len() - 1]);
        prop_assert_eq!((first <= window.first(), last <= window.last()), (true, true));
    }
}
