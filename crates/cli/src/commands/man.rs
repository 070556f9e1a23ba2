//! Write the man pages.

use std::path::Path;

use clap::CommandFactory;

use crate::arguments::Arguments;
use crate::failure::{CommandFailure, CommandResult, Exit};

/// Writes a page for the program and for each command.
pub(crate) fn run(folder: &Path) -> CommandResult<Exit> {
    let failed =
        |error: std::io::Error| CommandFailure::local(&format!("write to {}", folder.display()), error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Arguments::command(), folder).map_err(failed)?;
    Ok(Exit::Done)
}
