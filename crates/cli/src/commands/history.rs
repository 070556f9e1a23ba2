//! Show the history of a project's cards, or of one card, newest first.

mod names;

use std::collections::VecDeque;

use api::planning::history::{CardHistoryPath, HistoryQuery, ListCardHistory, ListHistory};
use client::Client;
use domain::planning::history::{HistoryKind, HistoryRow};
use domain::time::DateOrTime;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::planning::History;
use crate::changes::show_field;
use crate::commands::cards::find_in;
use crate::commands::history::names::Names;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, PagedLines};

/// Prints history rows.
pub(crate) async fn run(client: &Client, arguments: History, global: &Global) -> CommandResult<Exit> {
    check_period(arguments.from, arguments.to)?;
    let project = arguments.project.find(client, Beginning::Taken).await?;
    let query =
        HistoryQuery { after: arguments.after.map(|after| after.to_string()), ..HistoryQuery::default() };
    let mut rows = match arguments.card {
        Some(card) => {
            let card = find_in(client, &project, &card, Beginning::Taken).await?;
            client
                .call(
                    ListCardHistory,
                    CardHistoryPath { project_id: project.record.id.into(), card_id: card.into() },
                )
                .query(&query)
                .rows()
        }
        None => client.call(ListHistory, project.record.id).query(&query).rows(),
    };
    let (from, to) = (arguments.from.map(DateOrTime::start), arguments.to.map(DateOrTime::end));
    let mut latest = VecDeque::new();
    while let Some(row) = rows.try_next().await? {
        // The service pages by sequence alone, oldest first.
        let at = row.occurred_at;
        if from.is_some_and(|from| at < from) || to.is_some_and(|to| at > to) {
            continue;
        }
        latest.push_front(row);
        latest.truncate(arguments.limit);
    }
    let is_empty = latest.is_empty();
    let (mut names, mut page) = (Names::default(), PagedLines::open());
    for row in latest {
        if global.json {
            output::json(&row);
            continue;
        }
        let actor = names.actor(client, &project, &row).await?;
        let mut card = names.card(client, &project, &row).await;
        if let Some(subject) = names.subject(client, &project, &row).await? {
            card = format!("{card}: {subject}");
        }
        show(&mut page, &row, &card, &actor);
    }
    page.show();
    if is_empty && !global.json {
        let is_part = from.is_some() || to.is_some() || arguments.after.is_some();
        output::note(if is_part {
            "Nothing has changed in this period."
        } else {
            "There is no history yet."
        });
    }
    Ok(Exit::Done)
}

/// Refuses a period that ends before it begins.
pub(crate) fn check_period(from: Option<DateOrTime>, to: Option<DateOrTime>) -> CommandResult<()> {
    let is_reversed = from.zip(to).is_some_and(|(from, to)| to.end() < from.start());
    if is_reversed { Err(CommandFailure::usage("--to must not be before --from")) } else { Ok(()) }
}

fn show(page: &mut PagedLines, row: &HistoryRow, card: &str, actor: &str) {
    let about = format!("{} · {actor}", output::minute(row.occurred_at));
    let kind = row.kind.as_str();
    page.line(&format!("{:>5}  {kind:<10} {card}  {}", row.sequence.to_string(), output::dim(&about)));
    if row.kind != HistoryKind::Updated {
        return;
    }
    for field in row.changes.new_values().keys() {
        if let Some((before, after)) = row.changes.of(field) {
            show_field(page, "       ", field, Some(before), Some(after));
        }
    }
}
