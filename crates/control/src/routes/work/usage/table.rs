//! Reports as tables for spreadsheets.

use std::borrow::Cow;

use csv::{Terminator, WriterBuilder};
use domain::work::usage::report::{GroupBy, UsageGroup, UsageReport, UsageTotals};
use domain::{Error, Result};
use tables::table::harmless;

/// The columns of [`UsageTotals`].
const SUMS: [&str; 7] = [
    "credits",
    "promptTokens",
    "completionTokens",
    "reasoningTokens",
    "cacheWriteTokens",
    "cacheReadTokens",
    "eventCount",
];

/// A report's groups as a table with their fields as columns; without groups, the totals.
pub(super) fn csv(report: &UsageReport) -> Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    let head = keys(report.group_by).iter().chain(&SUMS);
    writer.write_record(head).map_err(Error::internal)?;
    let rows: Vec<Vec<Cow<'_, str>>> = match &report.groups {
        Some(groups) => groups.iter().map(|group| cells(Some(group), &group.totals)).collect(),
        None => vec![cells(None, &report.totals)],
    };
    for row in rows {
        writer.write_record(row.iter().map(|cell| cell.as_bytes())).map_err(Error::internal)?;
    }
    writer.into_inner().map_err(|error| Error::internal(error.into_error()))
}

/// The columns that identify groups.
fn keys(group_by: Option<GroupBy>) -> &'static [&'static str] {
    match group_by {
        None => &[],
        Some(GroupBy::Model) => &["provider", "model"],
        Some(GroupBy::Project) => &["projectId"],
        Some(GroupBy::Session) => &["sessionId"],
        Some(GroupBy::Day) => &["day"],
    }
}

/// A row: the columns that identify the group, filled as far as the grouping applies, and the sums. Credits are exact.
fn cells<'a>(group: Option<&'a UsageGroup>, totals: &UsageTotals) -> Vec<Cow<'a, str>> {
    let mut cells = Vec::new();
    if let Some(group) = group {
        cells.extend([&group.provider, &group.model].into_iter().flatten().map(|name| harmless(name)));
        let project = group.project_id.map(|id| id.to_string());
        let session = group.session_id.map(|id| id.to_string());
        let day = group.day.map(|day| day.to_string());
        cells.extend([project, session, day].into_iter().flatten().map(Cow::Owned));
    }
    let counts = [
        totals.prompt_tokens,
        totals.completion_tokens,
        totals.reasoning_tokens,
        totals.cache_write_tokens,
        totals.cache_read_tokens,
        totals.event_count,
    ];
    cells.push(Cow::Owned(totals.credits.to_string()));
    cells.extend(counts.map(|count| Cow::Owned(count.to_string())));
    cells
}
