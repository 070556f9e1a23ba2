//! Write the man pages.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::arguments::Arguments;
use crate::failure::{CommandFailure, CommandResult, Exit};

/// Stands for the date of a page, so that equal programs write equal pages. A missing one would make the next field the
/// date.
const NO_DATE: &str = " ";

/// Writes a page for the program and for each command.
pub(crate) fn run(folder: &Path) -> CommandResult<Exit> {
    let failed =
        |error: std::io::Error| CommandFailure::local(&format!("write to {}", folder.display()), error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    write(&program, folder).map_err(failed)?;
    Ok(Exit::Done)
}

fn write(command: &Command, folder: &Path) -> std::io::Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write(command, folder)?;
    }
    let source = concat!("atelier ", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).date(NO_DATE).source(source).manual("Atelier").generate_to(folder).map(drop)
}
