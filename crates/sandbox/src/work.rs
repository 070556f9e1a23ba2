//! The half that runs in the worker.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, BufWriter};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;

use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{execve, getppid};
use serde::{Deserialize, Serialize};

use crate::confine::{confine, confine_to_files, fence_as_text};
use crate::limits::Limits;

/// The variable of the environment in which the starting half says what the worker may do.
pub(crate) const TERMS_VARIABLE: &str = "ATELIER_SANDBOX";
/// Bytes that are written at a time.
const OUTPUT_BUFFER: usize = 64 * 1024;
/// Exit code of a worker that could not be confined, and did nothing.
pub(crate) const UNPROTECTED: u8 = 77;
/// Exit code of a worker that was refused memory, and could say so.
pub(crate) const OUT_OF_MEMORY: u8 = 78;
/// Exit code of a worker that noticed that its time was over, and could say so.
pub(crate) const TIMED_OUT: u8 = 79;

/// The variable of the environment in which a program that the worker becomes finds the filters that it has to install.
const FENCE_VARIABLE: &str = "ATELIER_FENCE";

/// A program of others that a worker becomes, with everything that it may read and run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// Its arguments, but for its name.
    pub arguments: Vec<String>,
    /// The files, and the folders with all that is under them, that it may read and run until it has closed its fence.
    pub files: Vec<PathBuf>,
}

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
    /// What it becomes; `None` where it does the work itself.
    pub(crate) becomes: Option<Program>,
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
/// is for the process to exit with, which tells [`io::ErrorKind::OutOfMemory`] and [`io::ErrorKind::TimedOut`] from other
/// failures. To be called by a program's first thread before there is another, as the kernel confines threads one by one.
///
/// A worker that is to become a program of others gives up all but that program's files instead, and becomes it; `work` is
/// not called then. A program that starts needs system calls that computing doesn't, so it is the program's first duty
/// to install the filters of `ATELIER_FENCE` (hexadecimal BPF programs, separated by commas, in this order) before it
/// looks at a single byte of its input, and to end with the code 77 where it can't.
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
        Err(error) if error.kind() == io::ErrorKind::TimedOut => ExitCode::from(TIMED_OUT),
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
    if let Some(program) = &terms.becomes {
        return Err(become_program(program, &terms));
    }
    confine(&terms)?;
    let output = BufWriter::with_capacity(OUTPUT_BUFFER, File::from(output));
    Ok(Assignment { task: terms.task, input: File::from(input), output })
}

/// Becomes the program. Returns only where it can't, with the reason.
fn become_program(program: &Program, terms: &Terms) -> String {
    let text = |bytes: &[u8]| CString::new(bytes).map_err(|error| error.to_string());
    let becoming = || -> Result<(), String> {
        let path = text(program.path.as_os_str().as_bytes())?;
        let mut arguments = vec![path.clone()];
        for argument in &program.arguments {
            arguments.push(text(argument.as_bytes())?);
        }
        let fence = fence_as_text().map_err(|error| format!("seccomp is not enforced: {error}"))?;
        let environment = [text(format!("{FENCE_VARIABLE}={fence}").as_bytes())?];
        confine_to_files(terms, &program.files)?;
        execve(&path, &arguments, &environment)
            .map(drop)
            .map_err(|error| format!("{}: {error}", program.path.display()))
    };
    becoming().err().unwrap_or_default()
}
