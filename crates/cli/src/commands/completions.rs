//! Print completions for a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::failure::Exit;
use crate::output;

/// Prints the script.
pub(crate) fn run(shell: Shell) -> Exit {
    // The generator panics where it can't write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "atelier", &mut script);
    output::stream(&script);
    Exit::Done
}
