//! Show how work flows through a project: its last days, times and throughput.

use std::time::Duration;

use api::planning::reports::{FlowReportQuery, GetFlowReport};
use client::Client;
use domain::planning::flow::{FlowColumn, FlowDay, FlowReport, FlowTimes, FlowWeek};

use crate::arguments::Global;
use crate::arguments::planning::Flow;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted};

/// Prints a flow report.
pub(crate) async fn run(client: &Client, arguments: Flow, global: &Global) -> CommandResult<Exit> {
    let Flow { project, from, to, team } = arguments;
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        return Err(CommandFailure::usage("--to must not be before --from"));
    }
    let project = project.find(client, Beginning::Taken).await?;
    let team = match team {
        Some(team) => Some(team.find(client, Beginning::Taken).await?.record.id),
        None => None,
    };
    let query = FlowReportQuery { from, to, team, time_zone: None };
    let report = client.call(GetFlowReport, project.record.id).query(&query).await?;
    if global.json {
        output::json(&report);
        return Ok(Exit::Done);
    }
    output::print(&summary(&report));
    output::print_table(["WEEK", "CLOSED", "EFFORT"], &weeks(&report), "There are no weeks.");
    output::print_table(
        ["TIME", "CARDS", "P50", "P85", "P95", "MEAN"],
        &times(&report),
        "There are no times.",
    );
    let last = columns(&report);
    if !last.is_empty() {
        output::print_table(["COLUMN", "FIRST DAY", "LAST DAY"], &last, "There are no columns.");
    }
    Ok(Exit::Done)
}

/// The window, and the cards at its end.
fn summary(report: &FlowReport) -> String {
    let (open, closed) = report.days.last().map_or((0, 0), |day| (day.open, day.closed));
    let in_progress =
        report.in_progress.as_ref().map_or_else(String::new, |work| format!(", {} in progress", work.total));
    let days = counted(u64::try_from(report.days.len()).unwrap_or(u64::MAX), "day", "days");
    format!("{} to {} · {days} · {open} open{in_progress}, {closed} closed", report.from, report.to)
}

fn weeks(report: &FlowReport) -> Vec<[String; 3]> {
    let row = |week: &FlowWeek| [week.week.to_string(), week.cards.to_string(), week.effort.to_string()];
    report.throughput.iter().map(row).collect()
}

fn times(report: &FlowReport) -> Vec<[String; 6]> {
    let row = |(name, times): (&str, &FlowTimes)| {
        let [p50, p85, p95, mean] = [times.p50, times.p85, times.p95, times.mean].map(shown);
        [name.to_owned(), times.cards.to_string(), p50, p85, p95, mean]
    };
    [("lead", &report.lead_time), ("cycle", &report.cycle_time)].map(row).to_vec()
}

/// A time as people read it.
fn shown(seconds: Option<i64>) -> String {
    match seconds.map(u64::try_from) {
        Some(Ok(seconds)) => output::duration(Duration::from_secs(seconds)),
        _ => "-".to_owned(),
    }
}

/// The board's columns with their cards at the end of the first and the last day.
fn columns(report: &FlowReport) -> Vec<[String; 3]> {
    let (first, last) = (report.days.first(), report.days.last());
    let row = |(position, column): (usize, &FlowColumn)| {
        let name = if column.is_deleted { column.id.to_string() } else { column.name.clone() };
        let at = |day: Option<&FlowDay>| {
            day.and_then(|day| day.columns.get(position)).map_or_else(|| "-".to_owned(), i64::to_string)
        };
        [name, at(first), at(last)]
    };
    report.columns.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{FlowReport, columns, summary, times, weeks};

    #[test]
    fn a_report_reads_as_one_line_and_three_tables() {
        let id = "0198c5f0-0000-7000-8000-000000000000";
        let day = |day: &str, open: i64, cards: [i64; 2]| json!({ "day": day, "open": open, "closed": 2, "created": 0, "done": 0, "columns": cards });
        let report: FlowReport = serde_json::from_value(json!({
            "from": "2026-11-27", "to": "2026-11-28", "timeZone": "Europe/Berlin", "asOf": "2026-11-28T12:00:00.000Z",
            "columns": [
                { "id": id, "name": "Doing", "color": "#00FF00", "isDeleted": false },
                { "id": id, "name": "", "color": null, "isDeleted": true },
            ],
            "days": [day("2026-11-27", 3, [1, 2]), day("2026-11-28", 4, [3, 0])],
            "leadTime": { "cards": 2, "p50": 90, "p85": 7_300, "p95": 260_000, "mean": 600 },
            "cycleTime": { "cards": 0, "p50": null, "p85": null, "p95": null, "mean": null },
            "throughput": [{ "week": "2026-11-23", "cards": 2, "effort": 8 }],
            "inProgress": { "total": 1, "cards": [] },
        }))
        .unwrap();
        assert_eq!(summary(&report), "2026-11-27 to 2026-11-28 · 2 days · 4 open, 1 in progress, 2 closed");
        assert_eq!(weeks(&report), [["2026-11-23", "2", "8"]]);
        let expected = [["lead", "2", "90 s", "2 h", "3 d", "10 min"], ["cycle", "0", "-", "-", "-", "-"]];
        assert_eq!(times(&report), expected);
        assert_eq!(columns(&report), [["Doing", "1", "3"], [id, "2", "0"]]);
    }
}
