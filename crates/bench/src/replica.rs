//! A second process of a plane, with empty caches, and settings of its own.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::Deserialize;

use crate::stack::{Process, Stack};

const START_LIMIT: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(10);

/// The process; dropping it ends it.
pub(crate) struct Replica {
    process: Child,
    pub(crate) url: String,
}

/// Its ready file.
#[derive(Deserialize)]
struct Listening {
    url: String,
}

impl Replica {
    /// Starts a program with the environment of the running process and further variables, and waits until it answers.
    pub(crate) fn start(
        stack: &Stack,
        program: &str,
        running: &Process,
        variables: &[(&str, &str)],
    ) -> Result<Self> {
        let ready_file = stack.scratch.join(format!("{program}-replica.json"));
        let _absent = std::fs::remove_file(&ready_file);
        let mut command = Command::new(stack.program(program));
        command.arg("serve").current_dir(&stack.service_folder).envs(running.environment()?);
        command.env("ATELIER_LISTEN", "127.0.0.1:0").env("ATELIER_OPS_LISTEN", "127.0.0.1:0");
        command.env("ATELIER_READY_FILE", &ready_file).envs(variables.iter().copied());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut started = Self { process: command.spawn()?, url: String::new() };
        let begun = Instant::now();
        while begun.elapsed() < START_LIMIT {
            let listening = std::fs::read(&ready_file).ok();
            if let Some(Listening { url }) = listening.and_then(|text| serde_json::from_slice(&text).ok()) {
                started.url = url;
                return Ok(started);
            }
            std::thread::sleep(POLL);
        }
        bail!("the second {program} did not start")
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _already_gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}
