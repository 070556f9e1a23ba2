//! The deployment that tests share: a process of testkit's program `shared-deployment`, which checks the invariants when it
//! ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

const START_LIMIT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(10);

/// A running deployment.
pub(crate) struct Shared {
    process: Child,
    /// Its addresses, for tests.
    pub(crate) description: PathBuf,
    log: PathBuf,
}

impl Shared {
    /// Starts it, with its files in `folder`.
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        let (description, log) = (folder.join("deployment.json"), folder.join("deployment.log"));
        let programs = std::env::var_os("ATELIER_TEST_BIN").context("ATELIER_TEST_BIN is not set")?;
        let output = fs::File::create(&log)?;
        let process = Command::new(PathBuf::from(programs).join("shared-deployment"))
            .arg(&description)
            .stdin(Stdio::piped())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
            .context("start shared-deployment")?;
        let mut shared = Self { process, description, log };
        let deadline = Instant::now() + START_LIMIT;
        while !shared.description.exists() {
            let runs = shared.process.try_wait()?.is_none() && Instant::now() < deadline;
            ensure!(runs, "the shared deployment does not start:\n{}", shared.output());
            std::thread::sleep(POLL);
        }
        Ok(shared)
    }

    /// Ends it; `None` if its invariants held, else what it says.
    pub(crate) fn end(mut self) -> Result<Option<String>> {
        drop(self.process.stdin.take());
        let status = self.process.wait()?;
        fs::remove_file(&self.description)?;
        Ok((!status.success()).then(|| self.output()))
    }

    fn output(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }
}
