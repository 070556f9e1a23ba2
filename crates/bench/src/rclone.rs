//! `rclone copy` of a folder to a WebDAV server that rclone itself serves from a folder.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::process::{Children, output};

/// Longest time until the server listens.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Seconds that it takes; nothing if rclone is not installed. Its server has an address without credentials, and does not
/// sync what it stores.
///
/// # Errors
/// rclone failed.
pub(crate) fn copy_seconds(files: &Path, scratch: &Path, transfers: usize) -> Result<Option<f64>> {
    if output("rclone", Command::new("rclone").arg("version")).is_err() {
        return Ok(None);
    }
    let served = scratch.join("served");
    fs::create_dir_all(&served)?;
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    let mut children = Children::default();
    let mut server = Command::new("rclone");
    server.args(["serve", "webdav", "--addr", &address]).arg(&served);
    children.spawn("rclone serve", &mut server, &scratch.join("rclone.log"))?;
    children.wait_for("rclone serve", TIMEOUT, || TcpStream::connect(&address).ok())?;

    let mut copy = Command::new("rclone");
    copy.args(["copy", "--transfers", &transfers.to_string(), "--checkers", &transfers.to_string()]);
    copy.arg(files).args([":webdav:", "--webdav-url", &format!("http://{address}")]);
    copy.env("NO_PROXY", "127.0.0.1");
    let begun = Instant::now();
    output("rclone copy", &mut copy)?;
    let seconds = begun.elapsed().as_secs_f64();
    drop(children);
    fs::remove_dir_all(&served)?;
    Ok(Some(seconds))
}
