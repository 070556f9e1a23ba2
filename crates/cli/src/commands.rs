//! The commands, one module each, and their dispatch.

mod api;
mod commit;
mod completions;
mod download;
mod log;
mod login;
mod man;
mod projects;
mod sync;
mod tree;
mod whoami;

use crate::arguments::{Arguments, Command};
use crate::failure::{CommandResult, Exit};
use crate::{credentials, upload};

/// Runs a command.
pub(crate) async fn run(arguments: Arguments) -> CommandResult<Exit> {
    let Arguments { global, command } = arguments;
    let client = || credentials::client(&global);
    match command {
        Command::Login => login::sign_in(&global).await,
        Command::Logout => login::sign_out(&global),
        Command::Whoami => whoami::run(&client()?, &global).await,
        Command::Projects { q } => projects::run(&client()?, q, &global).await,
        Command::Tree { place, depth } => tree::run(&client()?, &place, depth, &global).await,
        Command::Upload(arguments) => upload::run(&client()?, &arguments, &global).await,
        Command::Sync { place, folder, force, dry_run } => {
            let json = global.json;
            let options = sync::Options { place, folder, dry_run, is_forced: force, json };
            sync::run(&client()?, &options).await
        }
        Command::Download { place, output } => download::run(&client()?, &place, output, &global).await,
        Command::Commit { project, message } => commit::run(&client()?, &project, message, &global).await,
        Command::Log { project, limit } => log::run(&client()?, &project, limit, &global).await,
        Command::Api { path, method, data, header } => {
            let request = api::ApiRequest { path, method, data, headers: header };
            api::run(&client()?, request).await
        }
        Command::Completions { shell } => Ok(completions::run(shell)),
        Command::Man { folder } => man::run(&folder),
    }
}
