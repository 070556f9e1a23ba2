//! Flow reports: how a project's cards came in, went through the columns of a board, and were closed, day by day.
//!
//! The present numbers are known, and history tells how they changed. So a report goes back from now, and its cost is
//! that of the changes since its first day.

#[cfg(test)]
mod tests;
pub mod window;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::{Date, Duration};

use crate::id::{CardId, StatusId};
use crate::key::CardKey;
use crate::planning::flow::window::FlowWindow;
use crate::planning::tag::Color;
use crate::text::Name;
use crate::time::{CalendarDay, Timestamp, Zone};

/// A flow report.
// docs/api.md, section 5
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FlowReport")]
pub struct FlowReport {
    /// First day.
    pub from: CalendarDay,
    /// Last day.
    pub to: CalendarDay,
    /// Time zone.
    pub time_zone: Zone,
    /// Time of the report.
    pub as_of: Timestamp,
    /// The board's columns, then deleted ones.
    pub columns: Vec<FlowColumn>,
    /// The days.
    pub days: Vec<FlowDay>,
    /// From creation to closing.
    pub lead_time: FlowTimes,
    /// From the first `started` column to closing.
    pub cycle_time: FlowTimes,
    /// Done by week.
    pub throughput: Vec<FlowWeek>,
    /// Absent unless `to` is today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_progress: Option<WorkInProgress>,
}

/// A column of the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FlowColumn")]
pub struct FlowColumn {
    /// Id.
    pub id: StatusId,
    /// Empty for a deleted one.
    pub name: String,
    /// Null for a deleted one.
    pub color: Option<Color>,
    /// True if it was deleted.
    pub is_deleted: bool,
}

/// A project's cards at the end of a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlowDay")]
pub struct FlowDay {
    /// The day.
    pub day: CalendarDay,
    /// Open.
    pub open: i64,
    /// Closed.
    pub closed: i64,
    /// Created.
    pub created: i64,
    /// Closed on it for good.
    pub done: i64,
    /// Cards in each column.
    pub columns: Vec<i64>,
}

/// Seconds that closed cards took, by nearest ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlowTimes")]
pub struct FlowTimes {
    /// Number of cards.
    pub cards: i64,
    /// P50.
    pub p50: Option<i64>,
    /// P85.
    pub p85: Option<i64>,
    /// P95.
    pub p95: Option<i64>,
    /// Mean.
    pub mean: Option<i64>,
}

/// Cards done in a week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlowWeek")]
pub struct FlowWeek {
    /// Its Monday.
    pub week: CalendarDay,
    /// Number of cards.
    pub cards: i64,
    /// The velocity.
    pub effort: i64,
}

/// Open cards in `started` columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WorkInProgress")]
pub struct WorkInProgress {
    /// Number of cards.
    pub total: i64,
    /// The 100 oldest.
    pub cards: Vec<CardInProgress>,
}

/// A card in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardInProgress")]
pub struct CardInProgress {
    /// The card.
    pub card_id: CardId,
    /// Its key.
    pub key: Option<CardKey>,
    /// Its name.
    pub name: Name,
    /// Start of its cycle time.
    pub since: Timestamp,
    /// Seconds.
    pub seconds: i64,
}

/// The present numbers of a project's cards, and how they changed.
#[derive(Clone, Debug, Default)]
pub struct FlowFacts {
    /// Cards that are open now.
    pub open: i64,
    /// Cards that are closed now.
    pub closed: i64,
    /// Changes of these numbers.
    pub changes: Vec<OpennessChange>,
    /// The board's columns from the left.
    pub columns: Vec<FlowColumn>,
    /// Cards that are in each column now.
    pub in_columns: BTreeMap<StatusId, i64>,
    /// Changes of these numbers.
    pub column_changes: Vec<ColumnLoadChange>,
    /// Cards that were closed and stayed closed, by day.
    pub done: Vec<DoneDay>,
    /// Lead time of those cards.
    pub lead_time: FlowTimes,
    /// Cycle time of those that were in progress.
    pub cycle_time: FlowTimes,
    /// Work in progress.
    pub in_progress: Option<WorkInProgress>,
}

/// A day's changes of the numbers of open and closed cards. The day after the last stands for the time up to now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpennessChange {
    /// Position of the day in the window.
    pub day: usize,
    /// Created cards.
    pub created: i64,
    /// Change of the number of open cards.
    pub open: i64,
    /// Change of the number of closed cards.
    pub closed: i64,
}

/// A day's change of the number of cards in a column. The day after the last stands for the time up to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnLoadChange {
    /// Position of the day in the window.
    pub day: usize,
    /// The column.
    pub column: StatusId,
    /// Change of the number of its cards.
    pub cards: i64,
}

/// The cards that were closed on a day and stayed closed to the last day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoneDay {
    /// Position of the day in the window.
    pub day: usize,
    /// All of them.
    pub done: i64,
    /// Those that throughput counts.
    pub cards: i64,
    /// The effort of these.
    pub effort: i64,
}

/// The report of what is known about a window.
pub fn report(window: &FlowWindow, facts: FlowFacts) -> FlowReport {
    let days = window.days();
    let openness = |of: fn(&OpennessChange) -> i64| {
        by_day(facts.changes.iter().map(|change| (change.day, of(change))), days.len())
    };
    let open = levels(facts.open, &openness(|change| change.open));
    let closed = levels(facts.closed, &openness(|change| change.closed));
    let created = openness(|change| change.created);
    let done = by_day(facts.done.iter().map(|day| (day.day, day.done)), days.len());
    let (columns, loads) = column_loads(&facts, days.len());
    let day = |(position, day): (usize, &Date)| {
        let at = |numbers: &[i64]| numbers.get(position).copied().unwrap_or_default();
        FlowDay {
            day: CalendarDay(*day),
            open: at(&open),
            closed: at(&closed),
            created: at(&created),
            done: at(&done),
            columns: loads.iter().map(|load| at(load)).collect(),
        }
    };
    FlowReport {
        from: CalendarDay(window.first()),
        to: CalendarDay(window.last()),
        time_zone: window.zone().clone(),
        as_of: window.now(),
        columns,
        days: days.iter().enumerate().map(day).collect(),
        lead_time: facts.lead_time,
        cycle_time: facts.cycle_time,
        throughput: weeks(&days, &facts.done),
        in_progress: facts.in_progress.filter(|_| window.reaches_now()),
    }
}

/// The columns with the number of cards in each at the end of each of `days` days. Deleted columns without cards are
/// left out.
fn column_loads(facts: &FlowFacts, days: usize) -> (Vec<FlowColumn>, Vec<Vec<i64>>) {
    let mut changes: BTreeMap<StatusId, Vec<(usize, i64)>> = BTreeMap::new();
    for change in &facts.column_changes {
        changes.entry(change.column).or_default().push((change.day, change.cards));
    }
    let load = |column: &StatusId| {
        let now = facts.in_columns.get(column).copied().unwrap_or_default();
        let changes = changes.get(column).map(Vec::as_slice).unwrap_or_default();
        levels(now, &by_day(changes.iter().copied(), days))
    };
    let known: BTreeSet<StatusId> = facts.columns.iter().map(|column| column.id).collect();
    let present = facts.columns.iter().map(|column| (column.clone(), load(&column.id)));
    let deleted = changes.keys().filter(|column| !known.contains(column)).map(|column| {
        (FlowColumn { id: *column, name: String::new(), color: None, is_deleted: true }, load(column))
    });
    present.chain(deleted.filter(|(_, load)| load.iter().any(|cards| *cards != 0))).unzip()
}

/// The sums of `changes` for each of `days` days, and for the time after them.
fn by_day(changes: impl Iterator<Item = (usize, i64)>, days: usize) -> Vec<i64> {
    let mut sums = vec![0; days.saturating_add(1)];
    for (day, change) in changes {
        if let Some(sum) = sums.get_mut(day) {
            *sum += change;
        }
    }
    sums
}

/// A number at the end of each day: that of now, without the changes of all later days.
fn levels(now: i64, changes: &[i64]) -> Vec<i64> {
    let mut level = now;
    let later = changes.iter().skip(1).rev();
    let mut levels: Vec<i64> = later
        .map(|change| {
            level -= change;
            level
        })
        .collect();
    levels.reverse();
    levels
}

/// The weeks of the days, each with the cards that were done on its days.
fn weeks(days: &[Date], done: &[DoneDay]) -> Vec<FlowWeek> {
    let monday =
        |day: &Date| day.saturating_sub(Duration::days(day.weekday().number_days_from_monday().into()));
    let mut weeks: BTreeMap<Date, (i64, i64)> = days.iter().map(|day| (monday(day), (0, 0))).collect();
    for DoneDay { day, cards, effort, .. } in done {
        if let Some(sums) = days.get(*day).and_then(|day| weeks.get_mut(&monday(day))) {
            *sums = (sums.0 + cards, sums.1 + effort);
        }
    }
    let week = |(monday, (cards, effort))| FlowWeek { week: CalendarDay(monday), cards, effort };
    weeks.into_iter().map(week).collect()
}
