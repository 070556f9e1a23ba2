//! The worker: a process that has given up every right before it reads the code.

use std::process::ExitCode;
use std::time::Duration;

use sandbox::Assignment;
use serde::{Deserialize, Serialize};

use crate::javascript;

/// What a worker is told beside the code.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// Memory that the code may use, in bytes.
    pub(crate) memory_bytes: usize,
    /// How long the code may take.
    pub(crate) time: Duration,
}

/// Runs the code that was handed over. To be called by the first thread of a program before there is another.
pub fn work() -> ExitCode {
    sandbox::work(|assignment| {
        let Assignment { task, input, output } = assignment;
        javascript::run(input, output, serde_json::from_str(&task)?)
    })
}
