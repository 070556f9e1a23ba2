//! Programs that are run to their end, and children that run beside the measurements.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const POLL: Duration = Duration::from_millis(20);
/// Longest that children may take to end.
const GRACE: Duration = Duration::from_secs(20);

/// Runs a short command to its end and returns its output.
///
/// # Errors
/// It can't be started, or fails; its error output is part of the message.
pub(crate) fn output(name: &str, command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("start {name}"))?;
    if !output.status.success() {
        let printed = [output.stdout, output.stderr].concat();
        bail!("{name} failed ({}):\n{}", output.status, String::from_utf8_lossy(&printed).trim_end());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Children of this process. Dropping them ends them; `cargo xtask bench` does it if this process is killed.
#[derive(Default)]
pub(crate) struct Children(Vec<Running>);

struct Running {
    name: String,
    process: Child,
    log: PathBuf,
}

impl Children {
    /// Starts a child that writes to a log file. Returns its process id.
    pub(crate) fn spawn(&mut self, name: &str, command: &mut Command, log: &Path) -> Result<u32> {
        let file = File::create(log).with_context(|| format!("create {}", log.display()))?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let process = command.spawn().with_context(|| format!("start {name}"))?;
        let id = process.id();
        self.0.push(Running { name: name.to_owned(), process, log: log.to_owned() });
        Ok(id)
    }

    /// Calls `ready` until it answers.
    ///
    /// # Errors
    /// The end of a child, or the timeout.
    pub(crate) fn wait_for<T>(
        &mut self,
        what: &str,
        timeout: Duration,
        mut ready: impl FnMut() -> Option<T>,
    ) -> Result<T> {
        let begun = Instant::now();
        loop {
            if let Some(value) = ready() {
                return Ok(value);
            }
            ensure!(begun.elapsed() < timeout, "{what} was not ready within {} s", timeout.as_secs());
            for child in &mut self.0 {
                if let Some(status) = child.process.try_wait()? {
                    bail!("{} ended ({status}); see {}", child.name, child.log.display());
                }
            }
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        for child in &self.0 {
            if let Ok(id) = i32::try_from(child.process.id()) {
                let _already_gone = kill(Pid::from_raw(id), Signal::SIGTERM);
            }
        }
        let begun = Instant::now();
        for child in &mut self.0 {
            while begun.elapsed() < GRACE && matches!(child.process.try_wait(), Ok(None)) {
                std::thread::sleep(POLL);
            }
            let _already_gone = child.process.kill();
            let _reaped = child.process.wait();
        }
    }
}
