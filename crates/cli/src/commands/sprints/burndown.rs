//! Draw a sprint's burndown: the work left at the end of each day, beside an even pace.

use api::planning::sprints::{GetSprintReport, SprintPath};
use client::Client;
use domain::planning::sprint::report::{Day, SprintReport, Tally};
use domain::planning::sprint::{SprintRecord, SprintStatus};

use crate::arguments::Global;
use crate::arguments::planning::SprintArgument;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted};

/// Most lines of the drawing, and columns of a day.
const HEIGHT: i64 = 13;
const DAY_COLUMNS: usize = 3;
/// Most days that are drawn, and fewest in a narrow terminal; of a longer sprint, the last.
const MOST_DAYS: usize = 60;
const FEWEST_DAYS: usize = 5;
const DAY_SECONDS: i64 = 86_400;

/// Prints the burndown.
pub(crate) async fn run(client: &Client, sprint: &SprintArgument, global: &Global) -> CommandResult<Exit> {
    let team = sprint.team.find(client, Beginning::Taken).await?;
    let found = team.sprint(client, sprint.sprint.as_deref(), Beginning::Taken).await?;
    let report = client
        .call(
            GetSprintReport,
            SprintPath { org_id: team.organization, team_id: team.record.id, sprint_id: found.id },
        )
        .await?
        .report;
    if global.json {
        output::json(&report);
        return Ok(Exit::Done);
    }
    output::print(&summary(&found, &report));
    for line in drawn(&found, &report, output::terminal_width()) {
        output::print(&line);
    }
    Ok(Exit::Done)
}

/// The unit that a sprint counts: effort, or cards where none has any.
fn measure(report: &SprintReport) -> (&'static str, fn(&Tally) -> i64) {
    let has_effort =
        report.days.iter().any(|day| day.scope.effort > 0) || report.scope_at_start.total.effort > 0;
    if has_effort { ("effort", |tally| tally.effort) } else { ("cards", |tally| tally.cards) }
}

fn summary(sprint: &SprintRecord, report: &SprintReport) -> String {
    let (unit, of) = measure(report);
    let (left, scope) = match report.days.last() {
        Some(day) => (of(&day.remaining), of(&day.scope)),
        None => (of(&report.scope_at_start.total), of(&report.scope_at_start.total)),
    };
    let days = match (sprint.status, length(sprint), report.days.len()) {
        (SprintStatus::Active, Some(days), day @ 1..) if day <= days => format!(" · day {day} of {days}"),
        (SprintStatus::Active, Some(days), day @ 1..) => {
            let late = u64::try_from(day - days).unwrap_or(u64::MAX);
            format!(" · {} over", counted(late, "day", "days"))
        }
        (status, ..) => format!(" · {}", status.as_str()),
    };
    let (added, removed) = (report.added.total.cards, report.removed.total.cards);
    format!("{}{days} · {left} of {scope} {unit} left · {added} added, {removed} removed", sprint.name)
}

/// Days of a sprint with both dates.
fn length(sprint: &SprintRecord) -> Option<usize> {
    let (start, end) = (sprint.start_date?, sprint.end_date?);
    let first = start.unix_seconds().div_euclid(DAY_SECONDS);
    usize::try_from(end.unix_seconds().div_euclid(DAY_SECONDS) - first + 1).ok()
}

/// The drawing for a terminal of this width: each line of it is a number of the unit, and the days are those that fit.
fn drawn(sprint: &SprintRecord, report: &SprintReport, width: usize) -> Vec<String> {
    let (_, of) = measure(report);
    let all: Vec<i64> = report.days.iter().map(|day: &Day| of(&day.remaining)).collect();
    let scope = of(&report.scope_at_start.total);
    let top = all.iter().copied().chain([scope]).max().unwrap_or_default();
    if top <= 0 || all.is_empty() {
        return vec![output::dim("there is no work to draw yet")];
    }
    // A whole number between two lines, so that each has its own.
    let step = (top + HEIGHT - 2) / (HEIGHT - 1);
    let rows = (top + step - 1) / step;
    let margin = (rows * step).to_string().len();
    let fitting = width.saturating_sub(margin + 2) / DAY_COLUMNS;
    let most = fitting.clamp(FEWEST_DAYS, MOST_DAYS);
    // Of a longer sprint, the last days that are over; the rest of it where there is room.
    let start = all.len().saturating_sub(most);
    let left: Vec<i64> = all.into_iter().skip(start).collect();
    let planned = length(sprint).unwrap_or(left.len()).saturating_sub(start);
    let total = planned.clamp(left.len(), most);
    // The nearest line of a number, from 0 at the bottom.
    let level = |number: i64| (number + step / 2) / step;
    // It reaches 0 at the end of the sprint, which may go on beyond.
    let last = to_i64(length(sprint).unwrap_or(start + total).saturating_sub(1)).max(1);
    let even: Vec<i64> =
        (start..start + total).map(|day| level((scope - scope * to_i64(day) / last).max(0))).collect();
    let mut lines = Vec::new();
    for row in (0..=rows).rev() {
        let mut line = String::new();
        for (day, even) in even.iter().enumerate() {
            let point = left.get(day).map(|left| level(*left));
            let next = left.get(day + 1).map(|left| level(*left));
            line.push_str(match (point, next) {
                (Some(here), Some(next)) if here == row && next == row => "●──",
                (Some(here), Some(next)) if here == row && next < row => "●─╮",
                (Some(here), Some(next)) if here == row && next > row => "●─╯",
                (Some(here), _) if here == row => "●  ",
                (Some(here), Some(next)) if next < row && row < here => "  │",
                (Some(here), Some(next)) if here < row && row < next => "  │",
                (Some(here), Some(next)) if next == row && here > row => "  ╰",
                (Some(here), Some(next)) if next == row && here < row => "  ╭",
                _ if *even == row => "╌  ",
                _ => "   ",
            });
        }
        lines.push(format!("{:>margin$} ┤{}", row * step, line.trim_end()));
    }
    let ticks: String = (0..total).map(|_| "┬──").collect();
    lines.push(format!("{:>margin$} └{ticks}", ""));
    lines.push(format!("{:>margin$}  {}", "", numbers(start, total)));
    lines.push(format!("{:>margin$}  {}", "", output::dim("╌ even pace")));
    lines
}

/// The numbers of days below their ticks; where they are wider than a day, of every second one.
fn numbers(start: usize, total: usize) -> String {
    let is_wide = (start + total).to_string().len() >= DAY_COLUMNS;
    let number = |day: usize| match day % 2 {
        1 if is_wide => String::new(),
        0 if is_wide => format!("{:<width$}", start + day + 1, width = 2 * DAY_COLUMNS),
        _ => format!("{:<DAY_COLUMNS$}", start + day + 1),
    };
    (0..total).map(number).collect::<String>().trim_end().to_owned()
}

fn to_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{SprintRecord, SprintReport, drawn, summary};

    #[test]
    fn a_burndown_falls_beside_an_even_pace() {
        let id = "0198c5f0-0000-7000-8000-000000000000";
        let sprint = |status: &str, end: &str| -> SprintRecord {
            let sprint = json!({
                "id": id, "name": "Sprint 4", "description": "", "status": status, "team_id": id,
                "created_at": "2026-11-23T00:00:00.000Z", "start_date": "2026-11-23T00:00:00.000Z",
                "end_date": format!("2026-11-{end}T23:59:59.000Z"),
            });
            serde_json::from_value(sprint).unwrap()
        };
        let tally = |effort: i64| json!({ "cards": 1, "effort": effort });
        let days = [(23, 14), (24, 14), (25, 6)].map(|(day, left)| {
            json!({
                "day": format!("2026-11-{day}T00:00:00.000Z"), "scope": tally(14), "done": tally(14 - left),
                "remaining": tally(left),
            })
        });
        let part = json!({ "total": tally(0), "cards": [] });
        let report: SprintReport = serde_json::from_value(json!({
            "sprint_id": id, "status": "active", "as_of": "2026-11-25T12:00:00.000Z",
            "scope_at_start": { "total": tally(14), "cards": [] }, "added": part, "removed": part, "done": part,
            "carried_over": part, "days": days,
        }))
        .unwrap();
        for (status, end, shown) in [
            ("active", "27", "day 3 of 5"),
            ("active", "24", "1 day over"),
            ("completed", "24", "completed"),
            ("planned", "27", "planned"),
        ] {
            let expected = format!("Sprint 4 · {shown} · 6 of 14 effort left · 1 added, 1 removed");
            assert_eq!(summary(&sprint(status, end), &report), expected);
        }
        let lines = drawn(&sprint("active", "27"), &report, 80);
        let shown: Vec<&str> = lines.iter().map(|line| line.as_str()).take(9).collect();
        let expected = [
            "14 ┤●──●─╮",
            "12 ┤     │",
            "10 ┤     │",
            " 8 ┤     │╌",
            " 6 ┤     ╰●",
            " 4 ┤         ╌",
            " 2 ┤",
            " 0 ┤            ╌",
            "   └┬──┬──┬──┬──┬──",
        ];
        assert_eq!(shown, expected);
        assert_eq!(lines[9], "    1  2  3  4  5");
    }

    #[test]
    fn the_axes_fit_the_work_and_the_terminal() {
        let id = "0198c5f0-0000-7000-8000-000000000000";
        let tally = |cards: i64| json!({ "cards": cards, "effort": 0 });
        let part = |cards: i64| json!({ "total": tally(cards), "cards": [] });
        let report = |scope: i64, left: &[i64]| -> SprintReport {
            let day = |left: &i64| {
                let time = "2026-11-23T00:00:00.000Z";
                json!({ "day": time, "scope": tally(scope), "done": tally(0), "remaining": tally(*left) })
            };
            let days: Vec<_> = left.iter().map(day).collect();
            serde_json::from_value(json!({
                "sprint_id": id, "status": "active", "as_of": "2026-11-25T12:00:00.000Z",
                "scope_at_start": part(scope), "added": part(0), "removed": part(0), "done": part(0),
                "carried_over": part(0), "days": days,
            }))
            .unwrap()
        };
        let sprint: SprintRecord = serde_json::from_value(json!({
            "id": id, "name": "Sprint 4", "description": "", "status": "active", "team_id": id,
            "created_at": "2026-11-23T00:00:00.000Z", "start_date": "2026-11-23T00:00:00.000Z",
            "end_date": "2027-04-30T23:59:59.000Z",
        }))
        .unwrap();
        // Two cards have three lines.
        let lines = drawn(&sprint, &report(2, &[2, 1]), 40);
        let labels: Vec<&str> = lines.iter().filter_map(|line| line.split(" ┤").next()).take(3).collect();
        assert_eq!(labels, ["2", "1", "0"]);
        // Every number has a line of its own, and no line is longer than the terminal.
        for (scope, days, width) in
            [(1, 1, 20), (7, 30, 40), (8, 159, 80), (1_000, 120, 100), (50_000, 60, 200)]
        {
            let left: Vec<i64> = (0..days).map(|day| scope - scope * day / days).collect();
            let lines = drawn(&sprint, &report(scope, &left), width);
            assert!(lines.len() <= 16, "{scope}: {}", lines.len());
            let longest = lines.iter().map(|line| terminal::measure_text_width(line)).max().unwrap();
            assert!(longest <= width.max(24), "{scope} {width}: {longest}");
        }
    }
}
