//! Print completions for a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::failure::Exit;

/// Prints the script.
pub(crate) fn run(shell: Shell) -> Exit {
    clap_complete::generate(shell, &mut Arguments::command(), "atelier", &mut std::io::stdout());
    Exit::Done
}
