//! The worker: a process that is confined before it reads the code.

use std::process::ExitCode;

use sandbox::WorkContext;

use crate::javascript;

/// Runs the code. Must be called by a program's first thread before it starts another.
pub fn work() -> ExitCode {
    sandbox::work(|context| {
        let WorkContext { task, input, output } = context;
        javascript::run(input, output, serde_json::from_str(&task)?)
    })
}
