//! Print completions for a shell.

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::failure::Exit;
use crate::output;

/// Prints the script.
pub(crate) fn run(shell: Shell) -> Exit {
    // The generator panics where it can't write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut without_hidden(&Arguments::command()), "atelier", &mut script);
    output::stream(&script);
    Exit::Done
}

/// The program without the commands that are for other programs, which the generator would offer.
fn without_hidden(program: &Command) -> Command {
    Command::new("atelier")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .args(program.get_arguments())
        .subcommands(program.get_subcommands().filter(|command| !command.is_hide_set()))
}
