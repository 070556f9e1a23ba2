//! `atelier`, the command line: parses arguments, runs a command, and turns its failure into words and an exit code.

mod arguments;
mod bandwidth;
mod browser_sign_in;
mod changes;
mod commands;
mod confirmation;
mod credentials;
mod executed_name;
mod failure;
mod folders;
mod local_file;
mod naming;
mod output;
mod person;
mod progress;
mod resource;
mod revision;
mod secret_input;
mod session;
mod shell;
mod stop;
mod style;
mod team;
mod terminal_picture;
mod upload;
mod variable;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, CommandFactory, FromArgMatches};

use crate::arguments::Arguments;
use crate::failure::{CommandFailure, CommandResult, Exit};

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let arguments = match parse() {
        Ok(arguments) => arguments,
        // Help and version are errors of clap, too, and go to standard output with code 0.
        Err(error) => {
            if error.use_stderr() {
                drop(error.print());
            } else {
                output::end_unless_read(|| error.print());
            }
            return if error.use_stderr() { Exit::Usage.into() } else { ExitCode::SUCCESS };
        }
    };
    let json = arguments.global.json;
    match commands::run(arguments).await {
        Ok(exit) => exit.into(),
        Err(failure) => {
            report(&failure, json);
            failure.exit.into()
        }
    }
}

/// The arguments of this process. An empty variable counts as unset.
fn parse() -> CommandResult<Arguments, clap::Error> {
    let mut program = Arguments::command().mut_args(with_filled_variable);
    let matches = program.try_get_matches_from_mut(std::env::args_os());
    let matches = matches.map_err(|error| without_hidden(error, &program))?;
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut program))
}

/// The error without suggestions of commands that are for other programs.
fn without_hidden(mut error: clap::Error, program: &Command) -> clap::Error {
    let is_hidden = |name: &String| {
        let named = |command: &&Command| command.get_name() == name;
        program.get_subcommands().find(named).is_some_and(Command::is_hide_set)
    };
    if let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand)
        && names.iter().any(is_hidden)
    {
        let names: Vec<String> = names.iter().filter(|name| !is_hidden(name)).cloned().collect();
        error.remove(ContextKind::SuggestedSubcommand);
        if !names.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(names));
        }
    }
    error
}

fn with_filled_variable(argument: Arg) -> Arg {
    let is_empty = argument.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    if is_empty { argument.env(None::<&'static str>) } else { argument }
}

fn report(failure: &CommandFailure, json: bool) {
    if json {
        output::json(&serde_json::json!({ "error": failure.json() }));
    }
    output::note(&failure.to_string());
}
