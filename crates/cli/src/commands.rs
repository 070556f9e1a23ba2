//! The commands, one module each, and their dispatch.

mod api;
mod board;
mod bom;
mod branches;
mod calendar;
mod cards;
mod clone;
mod commit;
mod completions;
mod diff;
mod discard;
mod download;
mod exec;
mod export;
mod flow;
mod history;
mod import;
mod invitations;
mod keys;
mod log;
mod login;
mod man;
mod members;
mod merge;
mod my_work;
mod objects;
mod orgs;
mod projects;
mod prompt;
mod sessions;
mod sprints;
mod sync;
mod tags;
mod teams;
mod tree;
mod usage;
mod uses;
mod versions;
mod view;
mod views;
mod whoami;

use crate::arguments::{Arguments, Command};
use crate::failure::{CommandResult, Exit};
use crate::{credentials, upload};

/// Runs a command.
pub(crate) async fn run(arguments: Arguments) -> CommandResult<Exit> {
    let Arguments { global, command } = arguments;
    let client = || credentials::client(&global);
    match command {
        Command::Login(arguments) => login::sign_in(arguments, &global).await,
        Command::Logout => login::sign_out(&global),
        Command::Whoami => whoami::run(&client()?, &global).await,
        Command::Projects(arguments) => projects::run(&client()?, arguments, &global).await,
        Command::Tree { place, depth } => tree::run(&client()?, &place, depth, &global).await,
        Command::Upload(arguments) => upload::run(&client()?, &arguments, &global).await,
        Command::Sync(arguments) => sync::run(&client()?, &arguments, global.json).await,
        Command::Download(arguments) => download::run(&client()?, arguments, &global).await,
        Command::View(arguments) => view::run(&client()?, arguments, &global).await,
        Command::Commit { project, message } => commit::run(&client()?, &project, message, &global).await,
        Command::Log { project, limit } => log::run(&client()?, &project, limit, &global).await,
        Command::Objects(command) => objects::run(&client()?, command, &global).await,
        Command::Branches(command) => branches::run(&client()?, command, &global).await,
        Command::Diff(arguments) => diff::run(&client()?, arguments, &global).await,
        Command::Discard(arguments) => discard::run(&client()?, arguments, &global).await,
        Command::Merge(arguments) => merge::run(&client()?, arguments, &global).await,
        Command::Clone(arguments) => clone::run(&client()?, arguments, &global).await,
        Command::GitCredential { operation } => clone::credential(&operation, &global),
        Command::Cards(command) => cards::run(&client()?, command, &global).await,
        Command::Work => my_work::run(&client()?, &global).await,
        Command::Board { team, sprint, at } => {
            board::run(&client()?, &team, (sprint.as_deref(), at), &global).await
        }
        Command::Tags(command) => tags::run(&client()?, command, &global).await,
        Command::Teams(command) => teams::run(&client()?, command, &global).await,
        Command::Sprints(command) => sprints::run(&client()?, command, &global).await,
        Command::Flow(arguments) => flow::run(&client()?, arguments, &global).await,
        Command::History(arguments) => history::run(&client()?, arguments, &global).await,
        Command::Views(command) => views::run(&client()?, command, &global).await,
        Command::Sessions(command) => sessions::run(&client()?, command, &global).await,
        Command::Prompt(arguments) => prompt::run(&client()?, arguments, &global).await,
        Command::Exec(arguments) => exec::run(&client()?, arguments, &global).await,
        Command::Usage(arguments) => usage::run(&client()?, arguments, &global).await,
        Command::Import(arguments) => import::run(&client()?, arguments, &global).await,
        Command::Export(arguments) => export::run(&client()?, arguments, &global).await,
        Command::Bom(arguments) => bom::run(&client()?, arguments, &global).await,
        Command::Uses(arguments) => uses::run(&client()?, arguments, &global).await,
        Command::Versions { place } => versions::run(&client()?, &place, &global).await,
        Command::Orgs(command) => orgs::run(&credentials::person(&global)?, command, &global).await,
        Command::Members(command) => members::run(&credentials::person(&global)?, command, &global).await,
        Command::Invitations(command) => {
            invitations::run(&credentials::person(&global)?, command, &global).await
        }
        Command::Calendar(command) => calendar::run(&credentials::person(&global)?, command, &global).await,
        Command::Keys(command) => keys::run(&credentials::person(&global)?, command, &global).await,
        Command::Api { path, method, data, header } => {
            let request = api::ApiRequest { path, method, data, headers: header };
            api::run(&client()?, request).await
        }
        Command::Completions { shell } => Ok(completions::run(shell)),
        Command::Man { folder } => man::run(&folder),
    }
}
