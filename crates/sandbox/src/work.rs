//! The half that runs in the worker.

use std::fs::File;
use std::io::{self, BufWriter};
use std::os::fd::AsFd;
use std::process::ExitCode;

use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::getppid;
use serde::{Deserialize, Serialize};

use crate::confine::confine;
use crate::limits::Limits;

/// The variable of the environment in which the starting half says what the worker may do.
pub(crate) const TERMS_VARIABLE: &str = "ATELIER_SANDBOX";
/// Bytes that are written at a time.
const OUTPUT_BUFFER: usize = 64 * 1024;
/// Exit code of a worker that could not be confined, and did nothing.
pub(crate) const UNPROTECTED: u8 = 77;
/// Exit code of a worker that was refused memory, and could say so.
pub(crate) const OUT_OF_MEMORY: u8 = 78;

/// On which terms a worker works.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Terms {
    /// What it is to do.
    pub(crate) task: String,
    /// What it may use.
    pub(crate) limits: Limits,
    /// Who started it.
    pub(crate) parent: i32,
    /// Whether it is to work where the kernel can't confine it.
    pub(crate) unprotected: bool,
}

/// What a worker was handed.
#[derive(Debug)]
pub struct Assignment {
    /// What it is to do.
    pub task: String,
    /// The file.
    pub input: File,
    /// Where its result goes.
    pub output: BufWriter<File>,
}

/// Confines this process for good, then has `work` read the file that was handed over and write its result; the code
/// is for the process to exit with. To be called by a program's first thread before there is another, as the
/// kernel confines threads one by one.
pub fn work(work: impl FnOnce(Assignment) -> io::Result<()>) -> ExitCode {
    let assignment = match begin() {
        Ok(assignment) => assignment,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::from(UNPROTECTED);
        }
    };
    match work(assignment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::OutOfMemory => ExitCode::from(OUT_OF_MEMORY),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// What was handed over, in a process that is confined.
fn begin() -> Result<Assignment, String> {
    let terms =
        std::env::var(TERMS_VARIABLE).map_err(|_| "a worker is started by the service alone".to_owned())?;
    let terms: Terms = serde_json::from_str(&terms).map_err(|error| error.to_string())?;
    // The kernel then ends this process with the thread that started it. It may have ended before.
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|error| format!("set_pdeathsig: {error}"))?;
    if getppid().as_raw() != terms.parent {
        return Err("the service has ended".to_owned());
    }
    let input =
        io::stdin().as_fd().try_clone_to_owned().map_err(|error| format!("standard input: {error}"))?;
    let output =
        io::stdout().as_fd().try_clone_to_owned().map_err(|error| format!("standard output: {error}"))?;
    confine(&terms)?;
    let output = BufWriter::with_capacity(OUTPUT_BUFFER, File::from(output));
    Ok(Assignment { task: terms.task, input: File::from(input), output })
}
