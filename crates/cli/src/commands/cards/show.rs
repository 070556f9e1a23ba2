//! Show a card with its comments.

use client::Client;
use domain::card::Comment;
use futures_util::TryStreamExt;
use serde_json::json;

use crate::arguments::Global;
use crate::arguments::planning::CardArgument;
use crate::commands::cards::find;
use crate::failure::{CommandResult, Exit};
use crate::output;

/// Prints a card.
pub(crate) async fn run(client: &Client, card: &CardArgument, global: &Global) -> CommandResult<Exit> {
    let (project, id) = find(client, card).await?;
    let read = client.get_card(&project.record.id, &id).await?;
    let comments: Vec<Comment> = client.list_comments(&project.record.id, &id).rows().try_collect().await?;
    if global.json {
        let mut value = serde_json::to_value(&read).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("comments".to_owned(), json!(comments));
        }
        output::json(&value);
        return Ok(Exit::Done);
    }
    let (card, index) = (&read.card, &read.index_card);
    let state = if card.is_open { "open" } else { "closed" };
    output::print(&format!("{}  {}", card.fields.name, output::dim(state)));
    output::print(&format!("id        {id}"));
    let author = &card.author_display_name;
    output::print(&format!("created   {} by {author}", output::minute(card.created_at)));
    if card.fields.effort.get() > 0 {
        output::print(&format!("effort    {}", card.fields.effort.get()));
    }
    if let Some(deadline) = card.fields.deadline {
        output::print(&format!("due       {}", output::day(deadline)));
    }
    for status in &index.team_statuses {
        output::print(&format!("column    {}", status.status_name));
    }
    for text in [card.fields.description.as_str(), card.fields.resolution.as_str()] {
        if !text.is_empty() {
            output::print(&format!("\n{text}"));
        }
    }
    for comment in &comments {
        let about = format!("{} · {}", comment.author_display_name, output::minute(comment.created_at));
        output::print(&format!("\n{}\n{}", output::dim(&about), comment.body));
    }
    Ok(Exit::Done)
}
