//! Show what models have cost: a table with a bar for each row.

use std::collections::HashMap;

use api::work::usage::{
    GetProjectUsage, GetUsage, ListCardUsage, ListCardUsageQuery, UsageFormat, UsageQuery,
};
use client::Client;
use domain::id::ProjectId;
use domain::time::DateOrTime;
use domain::work::usage::MicroCredits;
use domain::work::usage::report::{GroupBy, UsageGroup, UsageReport, UsageTotals};

use crate::arguments::Global;
use crate::arguments::work::{Group, Usage};
use crate::commands::history::check_period;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, count};
use crate::resource::project_slugs;

/// Columns of the longest bar.
const BAR_WIDTH: i64 = 30;
/// Widest name of a card, in columns.
const NAME_WIDTH: usize = 40;

/// Prints a report.
pub(crate) async fn run(client: &Client, arguments: Usage, global: &Global) -> CommandResult<Exit> {
    let Usage { project, by, from, to } = arguments;
    check_period(from, to)?;
    let project = match project {
        Some(project) => Some(project.find(client, Beginning::Taken).await?.record.id),
        None => None,
    };
    let group_by = Some(match by {
        Group::Day => GroupBy::Day,
        Group::Model => GroupBy::Model,
        Group::Project => GroupBy::Project,
        Group::Session => GroupBy::Session,
        Group::Card => {
            let project = project.ok_or_else(|| {
                CommandFailure::usage("cards have costs within a project")
                    .next("Name one: atelier usage PROJECT --by card")
            })?;
            return by_card(client, &project, (from, to), global).await;
        }
    });
    let query = UsageQuery { from, to, group_by, format: UsageFormat::Json };
    let report = match project {
        Some(project) => client.call(GetProjectUsage, project).query(&query).await?,
        None => client.call(GetUsage, ()).query(&query).await?,
    };
    if global.json {
        output::json(&report);
        return Ok(Exit::Done);
    }
    let slugs = match by {
        Group::Project => project_slugs(client).await?,
        Group::Day | Group::Model | Group::Session | Group::Card => HashMap::new(),
    };
    print(&report, &slugs);
    Ok(Exit::Done)
}

/// Prints the costs of a project's cards: the 100 largest, the others in one row.
async fn by_card(
    client: &Client,
    project: &ProjectId,
    (from, to): (Option<DateOrTime>, Option<DateOrTime>),
    global: &Global,
) -> CommandResult<Exit> {
    let query = ListCardUsageQuery { from, to, limit: Some(100.into()), cursor: None };
    let report = client.call(ListCardUsage, *project).query(&query).await?;
    if global.json {
        output::json(&report);
        return Ok(Exit::Done);
    }
    let most = report.cards.iter().map(|card| card.credits.0).max().unwrap_or_default();
    let mut rows: Vec<[String; 4]> = Vec::new();
    let mut rest = report.credits.0 - report.other_credits.0;
    for card in &report.cards {
        rest -= card.credits.0;
        let name = card.name.as_ref().map_or("(deleted)", |name| name.as_str());
        let name = output::cut(name, NAME_WIDTH);
        rows.push([name, card.credits.to_string(), card.run_count.to_string(), bar(card.credits, most)]);
    }
    let sums = [("other cards", MicroCredits(rest)), ("no card", report.other_credits)];
    for (name, credits) in sums.into_iter().filter(|(_, credits)| credits.0 > 0) {
        rows.push([name.to_owned(), credits.to_string(), String::new(), String::new()]);
    }
    rows.push(["total".to_owned(), report.credits.to_string(), String::new(), String::new()]);
    output::print(&output::table(["", "CREDITS", "RUNS", ""], &rows));
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

#[cfg(test)]
mod tests {
    use domain::work::usage::MicroCredits;

    use super::bar;

    #[test]
    fn a_bar_is_in_proportion() {
        let bars = [(100, 100), (50, 100), (1, 100), (0, 100), (0, 0)]
            .map(|(part, most)| bar(MicroCredits(part), most).chars().count());
        assert_eq!(bars, [30, 15, 1, 0, 0]);
    }
}
