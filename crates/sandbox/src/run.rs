//! The half that starts workers.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use domain::{Error, Result};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt, Take};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::limits::Limits;
use crate::outcome::{Crash, CrashEnd, WorkerEnd};
use crate::terms::{ForeignProgram, TERMS_VARIABLE, Terms};
use crate::work::{OUT_OF_MEMORY, TIMED_OUT, UNPROTECTED};

/// Bytes of standard error that are searched for the first line.
const ERROR_BYTES: u64 = 4 * 1024;
/// Most characters of a crash's message.
const MESSAGE_CHARS: usize = 200;
/// Rust's message before it aborts for lack of memory.
const REFUSED_ALLOCATION: &str = "memory allocation of";

/// Output of a worker. It ends at the limit on output, which its reader may lower.
pub type Output = Take<ChildStdout>;

/// Behaviour of a worker that the kernel can't confine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// It does nothing.
    Required,
    /// It works with limits on resources and the layers that the kernel has.
    BestEffort,
}

/// A program that confines itself by [`crate::work`].
#[derive(Clone, Debug)]
pub struct Worker {
    /// Path of the program, which gets an empty environment.
    pub program: PathBuf,
    /// Arguments, which every user of the machine can read.
    pub arguments: Vec<OsString>,
    /// Text of the task, which other users can't read; at most about 100 KiB.
    pub task: String,
    /// Resources that it may use.
    pub limits: Limits,
    /// Behaviour without confinement by the kernel.
    pub protection: Protection,
    /// Program that it becomes when it is confined; `None` if it does the work itself.
    pub foreign: Option<ForeignProgram>,
}

impl Worker {
    /// The running program, even if its file was replaced.
    pub fn own_program() -> PathBuf {
        // Resolved by the new process, which is this program until `execve`.
        PathBuf::from("/proc/self/exe")
    }

    /// Runs the program with `input` as its standard input. `read` reads its output; the value counts only if the worker
    /// finishes, and output after its return is dropped. The worker is killed with this future, and with the thread that
    /// first polls it: not one of `spawn_blocking`, which ends early.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the program can't be started.
    pub async fn run<T>(
        &self,
        input: File,
        read: impl AsyncFnOnce(&mut Output) -> T,
    ) -> Result<WorkerEnd<T>> {
        let mut child = self.spawn(input).map_err(Error::internal)?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(Error::internal("a worker has no output"));
        };
        let mut running = WorkerProcess { child };
        let mut output = stdout.take(self.limits.output_bytes.saturating_add(1));
        let ended = timeout(self.limits.time, async {
            let reading = async {
                let value = read(&mut output).await;
                let exceeded = output.limit() == 0;
                if exceeded {
                    running.end();
                }
                drop(output);
                (value, exceeded)
            };
            let ((value, exceeded), message) = tokio::join!(reading, first_line(stderr));
            running.child.wait().await.map(|status| (value, exceeded, message, status))
        });
        match ended.await {
            Err(_) => {
                running.end();
                running.child.wait().await.map_err(Error::internal)?;
                Ok(WorkerEnd::TimedOut)
            }
            Ok(Err(error)) => Err(Error::internal(error)),
            Ok(Ok((_, true, _, _))) => Ok(WorkerEnd::OutputTooLarge),
            Ok(Ok((value, false, message, status))) => Ok(self.outcome(value, &message, status)),
        }
    }

    fn outcome<T>(&self, value: T, message: &str, status: ExitStatus) -> WorkerEnd<T> {
        let crashed = |end| WorkerEnd::Crashed(Crash { end, message: message.to_owned() });
        // A foreign program's exit codes are its own, except for the one before it starts.
        let is_own = self.foreign.is_none();
        match (status.code(), status.signal()) {
            (Some(0), _) => WorkerEnd::Finished(value),
            (Some(code), _) if code == i32::from(UNPROTECTED) => WorkerEnd::Unprotected(message.to_owned()),
            (Some(code), _) if is_own && code == i32::from(OUT_OF_MEMORY) => WorkerEnd::OutOfMemory,
            (Some(code), _) if is_own && code == i32::from(TIMED_OUT) => WorkerEnd::TimedOut,
            (Some(code), _) => crashed(CrashEnd::Code(code)),
            (None, Some(signal)) if is(signal, Signal::SIGXCPU) => WorkerEnd::TimedOut,
            (None, Some(signal))
                if is(signal, Signal::SIGABRT) && message.starts_with(REFUSED_ALLOCATION) =>
            {
                WorkerEnd::OutOfMemory
            }
            (None, signal) => crashed(CrashEnd::Signal(signal.unwrap_or_default())),
        }
    }

    fn spawn(&self, input: File) -> std::io::Result<Child> {
        let terms = Terms {
            task: self.task.clone(),
            limits: self.limits,
            parent: nix::unistd::getpid().as_raw(),
            unprotected: self.protection == Protection::BestEffort,
            program: self.foreign.clone(),
        };
        Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .env(TERMS_VARIABLE, serde_json::to_string(&terms)?)
            .current_dir("/")
            .process_group(0)
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
    }
}

/// A worker's process. Dropping it kills the whole process group.
struct WorkerProcess {
    child: Child,
}

impl WorkerProcess {
    fn end(&self) {
        // Without an id it was reaped, and the id may belong to another process.
        if let Some(id) = self.child.id() {
            let _ended = killpg(Pid::from_raw(id.cast_signed()), Signal::SIGKILL);
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns the first line, and drains the rest, so that the worker's writes never block.
async fn first_line(mut stderr: impl AsyncRead + Unpin) -> String {
    let mut bytes = Vec::new();
    let _broken = (&mut stderr).take(ERROR_BYTES).read_to_end(&mut bytes).await;
    let _broken = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(MESSAGE_CHARS).collect()
}

fn is(number: i32, signal: Signal) -> bool {
    Signal::try_from(number) == Ok(signal)
}
