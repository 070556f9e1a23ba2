//! Search the cards of all projects.

use std::collections::HashMap;

use api::planning::cards::{ListCardsQuery, SearchCards};
use client::Client;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::card_filters::CardFilterArguments;
use crate::commands::cards::filter;
use crate::commands::cards::list::NAME_WIDTH;
use crate::failure::{CommandResult, Exit};
use crate::output;
use crate::resource::project_slugs;

/// Prints the cards that hold a text, last changed first: open ones, closed ones, or all.
pub(crate) async fn run(
    client: &Client,
    text: String,
    open: Option<bool>,
    filter: CardFilterArguments,
    global: &Global,
) -> CommandResult<Exit> {
    let query = ListCardsQuery { q: Some(text), open, ..filter::of_cards(client, None, filter).await? };
    let mut cards = client.call(SearchCards, ()).query(&query).rows();
    let mut found = Vec::new();
    while let Some((_, card)) = cards.try_next().await? {
        if global.json {
            output::json(&card);
        } else {
            found.push(card);
        }
    }
    if global.json {
        return Ok(Exit::Done);
    }
    let slugs = if found.is_empty() { HashMap::new() } else { project_slugs(client).await? };
    let rows: Vec<[String; 5]> = found
        .into_iter()
        .map(|card| {
            let project = card.project_id;
            [
                card.key.as_ref().map_or_else(|| card.id.to_string(), ToString::to_string),
                output::cut(card.name.as_str(), NAME_WIDTH),
                if card.is_open { "open" } else { "closed" }.to_owned(),
                slugs.get(&project).cloned().unwrap_or_else(|| project.to_string()),
                output::minute(card.updated_at),
            ]
        })
        .collect();
    output::print_table(["KEY", "CARD", "STATE", "PROJECT", "CHANGED (UTC)"], &rows, "No card matches.");
    Ok(Exit::Done)
}
