//! List the tags of a project's cards.

use client::Client;

use crate::arguments::Global;
use crate::arguments::planning::Tags;
use crate::failure::{CommandResult, Exit};
use crate::output;

/// Runs a command on tags.
pub(crate) async fn run(client: &Client, command: Tags, global: &Global) -> CommandResult<Exit> {
    let Tags::List { project } = command;
    let project = project.find(client).await?;
    let tags = client.list_card_tags(&project.record.id).await?.tags;
    if global.json {
        tags.iter().for_each(output::json);
        return Ok(Exit::Done);
    }
    let rows: Vec<[String; 4]> = tags
        .iter()
        .map(|tag| {
            let state = tag.status.as_str().to_owned();
            [tag.name.to_string(), tag.card_count.to_string(), state, tag.id.to_string()]
        })
        .collect();
    output::print_table(["TAG", "CARDS", "STATE", "ID"], &rows, &format!("{project} has no tag."));
    Ok(Exit::Done)
}
