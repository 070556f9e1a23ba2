//! `atelier`, the command line: parses arguments, runs a command, and turns its failure into words and an exit code.

mod arguments;
mod browser_sign_in;
mod changes;
mod commands;
mod confirmation;
mod credentials;
mod failure;
mod folders;
mod local_file;
mod naming;
mod output;
mod progress;
mod resource;
mod revision;
mod session;
mod shell;
mod stop;
mod style;
mod team;
mod upload;
mod variable;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;
use crate::failure::{CommandFailure, Exit};

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
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

fn report(failure: &CommandFailure, json: bool) {
    if json {
        output::json(&serde_json::json!({ "error": failure.json() }));
    }
    output::note(&failure.to_string());
}
