//! List the teams of the caller's organizations.

use client::Client;

use crate::arguments::Global;
use crate::arguments::planning::Teams;
use crate::failure::{CommandResult, Exit};
use crate::output;
use crate::team::teams;

/// Runs a command on teams.
pub(crate) async fn run(client: &Client, command: Teams, global: &Global) -> CommandResult<Exit> {
    let Teams::List { org } = command;
    let teams = teams(client, org.as_deref()).await?;
    if global.json {
        teams.iter().for_each(|team| output::json(&team.record));
        return Ok(Exit::Done);
    }
    let rows: Vec<[String; 3]> = teams
        .iter()
        .map(|team| [team.to_string(), output::word(team.record.visibility), team.record.id.to_string()])
        .collect();
    output::print_table(["TEAM", "VISIBILITY", "ID"], &rows, "You see no team.");
    Ok(Exit::Done)
}
