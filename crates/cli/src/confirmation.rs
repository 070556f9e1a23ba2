//! The question before something is deleted. Only a person at a terminal is asked.

use std::io::{IsTerminal, Write};

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output;

/// True if somebody is there to be asked: a person at a terminal who doesn't read JSON.
pub(crate) fn may_ask(json: bool) -> bool {
    !json && std::io::stdin().is_terminal()
}

/// Asks a question that `y` answers; any other answer ends the command.
pub(crate) fn ask(question: &str) -> CommandResult<()> {
    let failed = |error: std::io::Error| CommandFailure::io("read the answer", &error);
    anstream::eprint!("{} [y/N] ", output::visible(question));
    std::io::stderr().flush().map_err(failed)?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(failed)?;
    match line.trim() {
        "y" | "yes" => Ok(()),
        _ => Err(CommandFailure::new(Exit::Stopped, "stopped; nothing was changed")),
    }
}
