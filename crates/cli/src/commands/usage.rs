//! Show what models have cost: a table with a bar for each row.

use std::collections::HashMap;

use api::usage::{UsageFormat, UsageQuery};
use client::Client;
use domain::id::ProjectId;
use domain::usage::MicroCredits;
use domain::usage::report::{GroupBy, UsageGroup, UsageReport, UsageTotals};
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::work::{Group, Usage};
use crate::failure::{CommandResult, Exit};
use crate::output::{self, count};

/// Columns of the longest bar.
const BAR_WIDTH: i64 = 30;

/// Prints a report.
pub(crate) async fn run(client: &Client, arguments: Usage, global: &Global) -> CommandResult<Exit> {
    let Usage { project, by, from, to } = arguments;
    let group_by = Some(match by {
        Group::Day => GroupBy::Day,
        Group::Model => GroupBy::Model,
        Group::Project => GroupBy::Project,
        Group::Session => GroupBy::Session,
    });
    let query = UsageQuery { from, to, group_by, format: UsageFormat::Json };
    let report = match project {
        Some(project) => {
            let project = project.find(client).await?;
            client.get_project_usage(&project.record.id).query(&query).await?
        }
        None => client.get_usage().query(&query).await?,
    };
    if global.json {
        output::json(&report);
        return Ok(Exit::Done);
    }
    let slugs = match by {
        Group::Project => slugs(client).await?,
        Group::Day | Group::Model | Group::Session => HashMap::new(),
    };
    print(&report, &slugs);
    Ok(Exit::Done)
}

fn print(report: &UsageReport, slugs: &HashMap<ProjectId, String>) {
    let groups = report.groups.as_deref().unwrap_or_default();
    let most = groups.iter().map(|group| group.totals.credits.0).max().unwrap_or_default();
    let mut rows: Vec<[String; 6]> =
        groups.iter().map(|group| row(name(group, slugs), &group.totals, most)).collect();
    rows.push(row("total".to_owned(), &report.totals, 0));
    output::print(&output::table(["", "CREDITS", "CALLS", "TOKENS IN", "OUT", ""], &rows));
}

fn row(name: String, totals: &UsageTotals, most: i64) -> [String; 6] {
    let number = |number: i64| count(u64::try_from(number).unwrap_or_default());
    let tokens_in = totals.prompt_tokens + totals.cache_read_tokens + totals.cache_write_tokens;
    let tokens_out = totals.completion_tokens + totals.reasoning_tokens;
    [
        name,
        totals.credits.to_string(),
        number(totals.event_count),
        number(tokens_in),
        number(tokens_out),
        bar(totals.credits, most),
    ]
}

/// A bar in proportion to the largest amount; at least one column for any amount.
fn bar(credits: MicroCredits, most: i64) -> String {
    if most <= 0 || credits.0 <= 0 {
        return String::new();
    }
    let columns = i128::from(credits.0) * i128::from(BAR_WIDTH) / i128::from(most);
    "█".repeat(usize::try_from(columns.max(1)).unwrap_or(1))
}

fn name(group: &UsageGroup, slugs: &HashMap<ProjectId, String>) -> String {
    if let Some(day) = group.day {
        return output::day(day);
    }
    if let Some(model) = &group.model {
        return format!("{}/{model}", group.provider.as_deref().unwrap_or_default());
    }
    if let Some(session) = group.session_id {
        return session.to_string();
    }
    group.project_id.map_or_else(
        || "other".to_owned(),
        |project| slugs.get(&project).cloned().unwrap_or_else(|| project.to_string()),
    )
}

async fn slugs(client: &Client) -> CommandResult<HashMap<ProjectId, String>> {
    let mut slugs = HashMap::new();
    let mut projects = client.list_projects().rows();
    while let Some(project) = projects.try_next().await? {
        slugs.insert(project.id, format!("{}/{}", project.owner_slug, project.project_slug));
    }
    Ok(slugs)
}

#[cfg(test)]
mod tests {
    use domain::usage::MicroCredits;

    use super::bar;

    #[test]
    fn a_bar_is_in_proportion() {
        let bars = [(100, 100), (50, 100), (1, 100), (0, 100), (0, 0)]
            .map(|(part, most)| bar(MicroCredits(part), most).chars().count());
        assert_eq!(bars, [30, 15, 1, 0, 0]);
    }
}
