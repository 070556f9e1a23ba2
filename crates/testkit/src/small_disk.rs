//! Disks that are soon full. Only root can mount them.

use std::path::Path;
use std::process::Command;

/// A small disk over a folder, until it is dropped. Its files go with it.
pub struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    /// Mounts a disk; `None`, said on standard error, for a user who can't.
    pub fn mount(folder: &'a Path, bytes: usize) -> Option<Self> {
        if !nix::unistd::Uid::effective().is_root() {
            eprintln!("NOT TESTED: only root can mount a small disk");
            return None;
        }
        mount(folder, &format!("size={bytes}"), &["-t", "tmpfs", "tmpfs"]);
        Some(Self(folder))
    }

    /// Changes the size of the disk.
    pub fn resize(&self, bytes: usize) {
        mount(self.0, &format!("remount,size={bytes}"), &[]);
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _gone = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

fn mount(folder: &Path, options: &str, arguments: &[&str]) {
    let status = Command::new("mount").args(["-o", options]).args(arguments).arg(folder).status();
    assert!(status.is_ok_and(|status| status.success()), "no disk is mounted over {}", folder.display());
}
