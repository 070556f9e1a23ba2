//! The program `atelier` as a user of the run's service, apart from the profile and the journals of the person at the
//! machine.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::folder::Folder;
use crate::workspace::Workspace;

/// `atelier` for one service.
pub(super) struct CommandLine<'a> {
    /// Path of the program.
    pub(super) program: PathBuf,
    folder: &'a Folder,
    control_url: &'a str,
}

impl<'a> CommandLine<'a> {
    /// The program of this workspace, for the service at `control_url`.
    pub(super) fn new(workspace: &Workspace, folder: &'a Folder, control_url: &'a str) -> Self {
        Self { program: workspace.binary("atelier"), folder, control_url }
    }

    /// The program without arguments, signed in by `api_key`.
    pub(super) fn command(&self, api_key: &str) -> Result<Command> {
        self.sign_in(Command::new(&self.program), api_key)
    }

    /// A command whose calls of `atelier` are signed in by `api_key`.
    pub(super) fn sign_in(&self, mut command: Command, api_key: &str) -> Result<Command> {
        command
            .env("ATELIER_URL", self.control_url)
            .env("ATELIER_KEY", api_key)
            .env("XDG_STATE_HOME", self.folder.shared_dir("tmp")?)
            .env_remove("ATELIER_PROFILE");
        Ok(command)
    }
}
