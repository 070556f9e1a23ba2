//! The demonstration project of `cargo xtask dev --demo`, made by a script of `atelier` as a user could write it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::dev::command_line::CommandLine;
use crate::process::output;
use crate::workspace::Workspace;

const SCRIPT: &str = "xtask/demo/fill.sh";

/// Makes the project in the organization `org_id`, unless it exists.
pub(super) fn fill(workspace: &Workspace, user: &CommandLine<'_>, api_key: &str, org_id: &str) -> Result<()> {
    let programs = user.program.parent().map(Path::to_owned).context("the program has no folder")?;
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&others)))?;
    let mut script = user.sign_in(Command::new("bash"), api_key)?;
    script.arg(workspace.root.join(SCRIPT)).arg(org_id).env("PATH", path);
    output("the script of the demonstration", &mut script).map(drop)
}
