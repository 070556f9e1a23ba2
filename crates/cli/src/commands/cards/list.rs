//! List a project's cards.

use api::planning::cards::{ListCards, ListCardsQuery};
use client::Client;
use domain::id::list::Ids;
use domain::planning::card::{AssigneeFilter, IndexCard, Priority};
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::commands::cards::tags;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::ProjectArgument;

/// Widest name of a card in the table, in columns.
pub(super) const NAME_WIDTH: usize = 60;

/// The cards to list.
#[derive(Debug)]
pub(crate) struct Filter {
    /// Only open cards, or only closed ones.
    pub(crate) open: Option<bool>,
    /// Only the caller's.
    pub(crate) mine: bool,
    /// Only cards with this tag.
    pub(crate) tag: Option<String>,
    /// Only cards that contain this text.
    pub(crate) query: Option<String>,
}

/// Prints cards, newest first.
pub(crate) async fn run(
    client: &Client,
    project: &ProjectArgument,
    filter: &Filter,
    global: &Global,
) -> CommandResult<Exit> {
    let project = project.find(client, Beginning::Taken).await?;
    let tags = tags(client, &project.record.id, filter.tag.as_slice(), Beginning::Taken).await?;
    let query = ListCardsQuery {
        open: filter.open,
        tag: (!tags.is_empty()).then_some(Ids(tags)),
        assignee: filter.mine.then_some(AssigneeFilter::Me),
        q: filter.query.clone(),
        ..ListCardsQuery::default()
    };
    let mut cards = client.call(ListCards, project.record.id).query(&query).rows();
    let mut rows = Vec::new();
    while let Some((_, card)) = cards.try_next().await? {
        if global.json {
            output::json(&card);
        } else {
            rows.push(row(&card));
        }
    }
    if !global.json {
        output::print_table(
            ["KEY", "CARD", "STATE", "PRIORITY", "EFFORT", "DUE", "COLUMN"],
            &rows,
            &format!("{project} has no card that matches."),
        );
    }
    Ok(Exit::Done)
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
