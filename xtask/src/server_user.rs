//! The user of PostgreSQL's processes.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;
use nix::unistd::{Uid, User};

/// The user PostgreSQL runs as if this process is root, which PostgreSQL refuses to be.
#[derive(Debug, Clone)]
pub(crate) struct ServerUser {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

impl ServerUser {
    /// `postgres`, which the system's package creates, or `nobody`. Nothing if this process isn't root.
    pub(crate) fn needed() -> Result<Option<Self>> {
        if !Uid::effective().is_root() {
            return Ok(None);
        }
        let user = match User::from_name("postgres")? {
            Some(user) => Some(user),
            None => User::from_name("nobody")?,
        };
        let user = user.ok_or_else(|| {
            anyhow::anyhow!(
                "PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody"
            )
        })?;
        Ok(Some(Self { name: user.name, uid: user.uid.as_raw(), gid: user.gid.as_raw() }))
    }

    /// True if the user can pass through all parents of a folder.
    pub(crate) fn can_enter(&self, folder: &Path) -> bool {
        let mut command = Command::new("true");
        command.current_dir(folder).uid(self.uid).gid(self.gid).stdin(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}
