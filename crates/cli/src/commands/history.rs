//! Show the history of a project's cards, or of one card, oldest first.

use std::collections::HashMap;

use api::history::HistoryQuery;
use client::Client;
use domain::history::{HistoryKind, HistoryRow};
use domain::id::{CardId, UserId};
use domain::member::ProjectMember;
use futures_util::TryStreamExt;
use serde_json::Value;

use crate::arguments::Global;
use crate::arguments::planning::History;
use crate::commands::cards::find_in;
use crate::commands::diff::value;
use crate::failure::{CommandResult, Exit};
use crate::output;

/// Prints history rows.
pub(crate) async fn run(client: &Client, arguments: History, global: &Global) -> CommandResult<Exit> {
    let project = arguments.project.find(client).await?;
    let query = HistoryQuery { after: arguments.after.map(|after| after.to_string()), limit: None };
    let mut rows = match arguments.card {
        Some(card) => {
            let card = find_in(client, &project, &card).await?;
            client.list_card_history(&project.record.id, &card).query(&query).rows()
        }
        None => client.list_history(&project.record.id).query(&query).rows(),
    };
    let mut people: Option<HashMap<UserId, String>> = None;
    let mut names: HashMap<CardId, String> = HashMap::new();
    while let Some(row) = rows.try_next().await? {
        if global.json {
            output::json(&row);
            continue;
        }
        if people.is_none() {
            let members = client.list_project_members(&project.record.id).rows();
            let members: Vec<ProjectMember> = members.try_collect().await?;
            people =
                Some(members.into_iter().map(|member| (member.user_id, member.name.to_string())).collect());
        }
        if let Some((_, Value::String(name))) = row.changes.of("name") {
            names.insert(row.card_id, name.clone());
        }
        if let std::collections::hash_map::Entry::Vacant(unknown) = names.entry(row.card_id) {
            // The name of a deleted card is in its history alone, maybe before the first row.
            let read = client.get_card(&project.record.id, unknown.key()).await;
            unknown.insert(
                read.map_or_else(|_| row.card_id.to_string(), |read| read.card.fields.name.to_string()),
            );
        }
        let actor = people.as_ref().and_then(|people| people.get(&row.actor.user_id));
        let actor = actor.map_or("someone", String::as_str);
        let card = names.get(&row.card_id).map_or("", String::as_str);
        print(&row, card, actor);
    }
    Ok(Exit::Done)
}

fn print(row: &HistoryRow, card: &str, actor: &str) {
    let about = format!("{} · {actor}", output::minute(row.occurred_at));
    let kind = row.kind.as_str();
    output::print(&format!("{:>5}  {kind:<10} {card}  {}", row.sequence.to_string(), output::dim(&about)));
    if row.kind != HistoryKind::Updated {
        return;
    }
    for field in row.changes.new_values().keys() {
        if let Some((before, after)) = row.changes.of(field) {
            let change = format!("{} → {}", value(Some(before)), value(Some(after)));
            output::print(&format!("       {}  {change}", output::dim(field)));
        }
    }
}
