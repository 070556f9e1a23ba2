//! Draw a sprint's burndown: the work left at the end of each day, beside an even pace.

use client::Client;
use domain::sprint::report::{Day, SprintReport, Tally};
use domain::sprint::{SprintRecord, SprintStatus};

use crate::arguments::Global;
use crate::arguments::planning::SprintArgument;
use crate::failure::{CommandResult, Exit};
use crate::output::{self, counted};

/// Lines of the drawing, and columns of a day.
const HEIGHT: i64 = 8;
const DAY_COLUMNS: usize = 3;
/// Most days that are drawn; of a longer sprint, the last.
const MOST_DAYS: usize = 60;
const DAY_SECONDS: i64 = 86_400;

/// Prints the burndown.
pub(crate) async fn run(client: &Client, sprint: &SprintArgument, global: &Global) -> CommandResult<Exit> {
    let team = sprint.team.find(client).await?;
    let found = team.sprint(client, sprint.sprint.as_deref()).await?;
    let report = client.get_sprint_report(&team.organization, &team.record.id, &found.id).await?.report;
    if global.json {
        output::json(&report);
        return Ok(Exit::Done);
    }
    output::print(&summary(&found, &report));
    for line in drawn(&found, &report) {
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

fn drawn(sprint: &SprintRecord, report: &SprintReport) -> Vec<String> {
    let (_, of) = measure(report);
    let start = report.days.len().saturating_sub(MOST_DAYS);
    let days: Vec<&Day> = report.days.iter().skip(start).collect();
    let left: Vec<i64> = days.iter().map(|day| of(&day.remaining)).collect();
    let total = length(sprint).unwrap_or(left.len()).clamp(left.len(), MOST_DAYS.max(left.len()));
    let scope = of(&report.scope_at_start.total);
    let top = left.iter().copied().chain([scope]).max().unwrap_or_default();
    if top == 0 || left.is_empty() {
        return vec![output::dim("there is no work to draw yet")];
    }
    // The nearest line of a number, from 0 at the bottom.
    let level = |number: i64| (number * (HEIGHT - 1) + top / 2) / top;
    // It reaches 0 at the end of the sprint, which may go on beyond.
    let last = to_i64(length(sprint).unwrap_or(total).saturating_sub(1)).max(1);
    let even: Vec<i64> = (0..total).map(|day| level((scope - scope * to_i64(day) / last).max(0))).collect();
    let margin = top.to_string().len();
    let mut lines = Vec::new();
    for row in (0..HEIGHT).rev() {
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
        let label = match row {
            _ if row == HEIGHT - 1 => top.to_string(),
            0 => "0".to_owned(),
            _ => String::new(),
        };
        lines.push(format!("{label:>margin$} ┤{}", line.trim_end()));
    }
    let ticks: String = (0..total).map(|_| "┬──").collect();
    lines.push(format!("{:>margin$} └{ticks}", ""));
    let numbers: String = (0..total).map(|day| format!("{:<DAY_COLUMNS$}", start + day + 1)).collect();
    lines.push(format!("{:>margin$}  {}  {}", "", numbers.trim_end(), output::dim("╌ even pace")));
    lines
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
        let lines = drawn(&sprint("active", "27"), &report);
        assert_eq!(lines[0], "14 ┤●──●─╮");
        assert_eq!(lines[4], "   ┤     ╰●");
        assert_eq!(lines[8], "   └┬──┬──┬──┬──┬──");
    }
}
