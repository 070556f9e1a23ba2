//! The half that runs in the worker.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, BufWriter};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{execve, getppid};

use crate::confine::{confine, confine_to_files, filters_as_text};
use crate::terms::{ForeignProgram, TERMS_VARIABLE, Terms};

/// Size of the output buffer.
const OUTPUT_BUFFER: usize = 64 * 1024;
/// Exit code of a worker that could not be confined, and did nothing. A foreign program can exit with it at any time.
pub const UNPROTECTED: u8 = 77;
/// Exit code of a worker that handled a refused allocation.
pub(crate) const OUT_OF_MEMORY: u8 = 78;
/// Exit code of a worker that ended its work at its time limit.
pub(crate) const TIMED_OUT: u8 = 79;

/// The environment variable with the filters that a foreign program has to install.
const FILTERS_VARIABLE: &str = "ATELIER_SECCOMP_FILTERS";

/// Task, input and output of a confined worker.
#[derive(Debug)]
pub struct WorkContext {
    /// Text of the task.
    pub task: String,
    /// The open input.
    pub input: File,
    /// Destination of the result.
    pub output: BufWriter<File>,
}

/// Confines this process, then calls `work`. Returns the exit code of the process, which distinguishes
/// [`io::ErrorKind::OutOfMemory`] and [`io::ErrorKind::TimedOut`] from other failures. Must be called by a program's first
/// thread before it starts another, because the kernel confines threads one by one.
///
/// A worker with a foreign program gives up all files except the program's and becomes it; `work` isn't called. The start
/// of a program needs more system calls than computation. So before it reads its input, the program must install the
/// filters of `ATELIER_SECCOMP_FILTERS` (hexadecimal BPF programs in order, separated by commas), or exit with code 77.
/// Its other exit codes are its own.
pub fn work(work: impl FnOnce(WorkContext) -> io::Result<()>) -> ExitCode {
    let context = match begin() {
        Ok(context) => context,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::from(UNPROTECTED);
        }
    };
    match work(context) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::OutOfMemory => ExitCode::from(OUT_OF_MEMORY),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => ExitCode::from(TIMED_OUT),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the terms and confines the process.
fn begin() -> Result<WorkContext, String> {
    let terms =
        std::env::var(TERMS_VARIABLE).map_err(|_| "only the service can start a worker".to_owned())?;
    let terms: Terms = serde_json::from_str(&terms).map_err(|error| error.to_string())?;
    // The kernel kills this process with the thread that started it. That may have ended before.
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|error| format!("set_pdeathsig: {error}"))?;
    if getppid().as_raw() != terms.parent {
        return Err("the service has ended".to_owned());
    }
    let closed = close_inherited().map_err(|error| format!("close_range: {error}"));
    if !terms.unprotected {
        closed?;
    }
    let input =
        io::stdin().as_fd().try_clone_to_owned().map_err(|error| format!("standard input: {error}"))?;
    let output =
        io::stdout().as_fd().try_clone_to_owned().map_err(|error| format!("standard output: {error}"))?;
    if let Some(program) = &terms.program {
        return Err(become_program(program, &terms));
    }
    confine(&terms)?;
    let output = BufWriter::with_capacity(OUTPUT_BUFFER, File::from(output));
    Ok(WorkContext { task: terms.task, input: File::from(input), output })
}

/// Closes all descriptors but standard input, output and error: those that the service inherited, and those that a
/// library opened without close-on-exec.
#[expect(unsafe_code, reason = "the system call has no safe function")]
fn close_inherited() -> Result<(), Errno> {
    // SAFETY: this process has just started, and has opened nothing that it still uses.
    Errno::result(unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) }).map(drop)
}

/// Becomes the program. Returns only on failure, with the reason.
fn become_program(program: &ForeignProgram, terms: &Terms) -> String {
    let text = |bytes: &[u8]| CString::new(bytes).map_err(|error| error.to_string());
    let becoming = || -> Result<(), String> {
        let path = text(program.path.as_os_str().as_bytes())?;
        let mut arguments = vec![path.clone()];
        for argument in &program.arguments {
            arguments.push(text(argument.as_bytes())?);
        }
        let filters = filters_as_text().map_err(|error| format!("seccomp is not enforced: {error}"))?;
        let environment = [text(format!("{FILTERS_VARIABLE}={filters}").as_bytes())?];
        confine_to_files(terms, &program.files)?;
        execve(&path, &arguments, &environment)
            .map(drop)
            .map_err(|error| format!("{}: {error}", program.path.display()))
    };
    becoming().err().unwrap_or_default()
}
