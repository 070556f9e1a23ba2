//! The demonstration project of `cargo xtask dev --demo`, made by a script of `atelier` as a user could write it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::folder::Folder;
use crate::process::output;
use crate::workspace::Workspace;

const SCRIPT: &str = "xtask/demo/fill.sh";

/// The service to fill, and the organization that gets the project.
pub(super) struct Target<'a> {
    pub(super) control_url: &'a str,
    pub(super) api_key: &'a str,
    pub(super) org_id: &'a str,
}

/// Makes the project unless it exists.
pub(super) fn fill(workspace: &Workspace, folder: &Folder, target: &Target<'_>) -> Result<()> {
    let atelier = workspace.binary("atelier");
    let programs = atelier.parent().map(Path::to_owned).context("the program has no folder")?;
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&others)))?;
    let mut script = Command::new("bash");
    script
        .arg(workspace.root.join(SCRIPT))
        .arg(target.org_id)
        .env("PATH", path)
        .env("ATELIER_URL", target.control_url)
        .env("ATELIER_KEY", target.api_key)
        // Not the journal of uploads and the profile of the person who runs this.
        .env("XDG_STATE_HOME", folder.shared_dir("tmp")?)
        .env_remove("ATELIER_PROFILE");
    output("the script of the demonstration", &mut script).map(drop)
}
