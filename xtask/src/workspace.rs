//! The folders of the workspace, and calls of cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The folders of this checkout.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// The folder of the root `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever its configuration puts it.
    pub(crate) target: PathBuf,
    /// The folder that holds this program and, once built, the services.
    pub(crate) bin: PathBuf,
}

#[derive(Deserialize)]
struct Metadata {
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

impl Workspace {
    /// Asks cargo, since configuration and environment can move the target folder.
    pub(crate) fn find() -> Result<Self> {
        let output = cargo().args(["metadata", "--no-deps", "--format-version", "1"]).output()?;
        ensure!(
            output.status.success(),
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        let metadata: Metadata = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
        let program = std::env::current_exe()?;
        let bin = program.parent().context("this program lies in no folder")?.to_owned();
        Ok(Self { root: metadata.workspace_root, target: metadata.target_directory, bin })
    }

    /// The path of a built program of the workspace.
    pub(crate) fn binary(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// A build of every program. Always the whole workspace: a part of it would unify features differently, and
    /// compile shared dependencies a second time.
    pub(crate) fn build_command(&self) -> Command {
        let mut command = cargo_in(&self.root);
        command.args(["build", "--workspace", "--bins"]);
        command
    }
}

/// Cargo, run at the root of the workspace.
pub(crate) fn cargo_in(root: &Path) -> Command {
    let mut command = cargo();
    command.current_dir(root);
    command
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
