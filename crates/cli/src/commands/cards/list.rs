//! List a project's cards.

use api::planning::cards::{ListCards, ListCardsQuery};
use client::{Client, RequestResult};
use domain::planning::card::{CardRecord, IndexCard, Priority};
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;

use crate::arguments::Global;
use crate::arguments::card_filters::ListFilterArguments;
use crate::commands::cards::filter;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::ProjectArgument;

/// Widest name of a card in the table, in columns.
pub(crate) const NAME_WIDTH: usize = 60;

/// Prints a project's cards, newest first: open ones, closed ones, or all.
pub(crate) async fn run(
    client: &Client,
    project: &ProjectArgument,
    open: Option<bool>,
    filter: ListFilterArguments,
    global: &Global,
) -> CommandResult<Exit> {
    let project = project.find(client, Beginning::Taken).await?;
    let query = ListCardsQuery { open, ..filter::query(client, Some(&project), filter).await? };
    let cards = client.call(ListCards, project.record.id).query(&query).rows();
    print(cards, &format!("{project} has no card that matches."), global).await?;
    Ok(Exit::Done)
}

/// Prints cards as they come, or as a table, or `nothing`.
pub(crate) async fn print(
    mut cards: BoxStream<'static, RequestResult<(CardRecord, IndexCard)>>,
    nothing: &str,
    global: &Global,
) -> CommandResult<()> {
    let mut rows = Vec::new();
    while let Some((_, card)) = cards.try_next().await? {
        if global.json {
            output::json(&card);
        } else {
            rows.push(row(&card));
        }
    }
    if !global.json {
        output::print_table(["KEY", "CARD", "STATE", "PRIORITY", "EFFORT", "DUE", "COLUMN"], &rows, nothing);
    }
    Ok(())
}

fn row(card: &IndexCard) -> [String; 7] {
    let columns: Vec<&str> = card.team_statuses.iter().map(|status| status.status_name.as_str()).collect();
    [
        card.key.as_ref().map_or_else(|| card.id.to_string(), ToString::to_string),
        output::cut(card.name.as_str(), NAME_WIDTH),
        if card.is_open { "open" } else { "closed" }.to_owned(),
        match card.priority {
            Priority::None => "-".to_owned(),
            priority => priority.to_string(),
        },
        match card.effort.get() {
            0 => "-".to_owned(),
            effort => effort.to_string(),
        },
        card.deadline.map_or_else(|| "-".to_owned(), output::day),
        if columns.is_empty() { "-".to_owned() } else { columns.join(", ") },
    ]
}
