//! The benchmark table.

use std::process::ExitCode;

use anyhow::{Result, bail};

/// Arguments of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Prints the table.
pub(crate) fn run(_args: &Args) -> Result<ExitCode> {
    bail!("no benchmark is written yet")
}
