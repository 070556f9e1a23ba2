//! Types of cards that projects define.

use api::planning::card_types::ListCardTypes;
use client::Client;
use domain::planning::card_type::CardTypeDefinition;

use crate::arguments::Global;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::ProjectArgument;

/// Lists the types of cards that a project defines.
pub(super) async fn list(client: &Client, project: &ProjectArgument, global: &Global) -> CommandResult<Exit> {
    let project = project.find(client, Beginning::Taken).await?;
    let types = client.call(ListCardTypes, project.record.id).await?.card_types;
    if global.json {
        types.iter().for_each(output::json);
        return Ok(Exit::Done);
    }
    let row = |defined: &CardTypeDefinition| {
        let first_line = defined.description.as_str().lines().next().unwrap_or_default();
        [defined.name.to_string(), defined.checklist.len().to_string(), first_line.to_owned()]
    };
    let rows: Vec<[String; 3]> = types.iter().map(row).collect();
    output::print_table(["NAME", "LINES", "DESCRIPTION"], &rows, "The project defines no types of cards.");
    Ok(Exit::Done)
}
