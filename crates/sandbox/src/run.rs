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
use crate::outcome::{Crash, CrashEnd, Outcome};
use crate::work::{OUT_OF_MEMORY, Program, TERMS_VARIABLE, TIMED_OUT, Terms, UNPROTECTED};

/// Bytes of a worker's standard error that are looked at.
const ERROR_BYTES: u64 = 4 * 1024;
/// Most characters that are kept of it.
const SAID_CHARS: usize = 200;
/// What Rust says before it aborts for want of memory.
const REFUSED_ALLOCATION: &str = "memory allocation of";

/// What a worker writes. It ends where the limit on output is reached, which whoever reads it may lower.
pub type Output = Take<ChildStdout>;

/// What becomes of a worker that the kernel can't confine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// It does nothing.
    Required,
    /// It works with the limits on resources alone, and as many fences as there are.
    BestEffort,
}

/// A program that confines itself by [`crate::work`].
#[derive(Clone, Debug)]
pub struct Worker {
    /// The program. It gets an empty environment.
    pub program: PathBuf,
    /// Its arguments, which everybody on the machine can read.
    pub arguments: Vec<OsString>,
    /// What it is to do, which nobody else can read; at most some 100 KiB.
    pub task: String,
    /// What it may use.
    pub limits: Limits,
    /// Whether it may work without protection.
    pub protection: Protection,
    /// What it becomes once it is confined; `None` where it does the work itself.
    pub becomes: Option<Program>,
}

impl Worker {
    /// This program once more, whatever lies at its path by now.
    pub fn own_program() -> PathBuf {
        // Resolved by the new process, which is this program until it becomes another.
        PathBuf::from("/proc/self/exe")
    }

    /// Runs the program with `input` as its standard input, and has `read` read what it writes. What `read` gives is of
    /// use only where the worker finished; where it returns before the end, the rest is lost to the worker. A worker ends
    /// with the future that runs it and with the thread that first polled this, which must therefore be one that lasts
    /// (none of `spawn_blocking`).
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where the program can't be started.
    pub async fn run<T>(&self, input: File, read: impl AsyncFnOnce(&mut Output) -> T) -> Result<Outcome<T>> {
        let mut child = self.spawn(input).map_err(Error::internal)?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(Error::internal("a worker has no output"));
        };
        let mut running = Running { child };
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
            let ((value, exceeded), said) = tokio::join!(reading, first_line(stderr));
            running.child.wait().await.map(|status| (value, exceeded, said, status))
        });
        match ended.await {
            Err(_) => {
                running.end();
                running.child.wait().await.map_err(Error::internal)?;
                Ok(Outcome::TimedOut)
            }
            Ok(Err(error)) => Err(Error::internal(error)),
            Ok(Ok((_, true, _, _))) => Ok(Outcome::OutputTooLarge),
            Ok(Ok((value, false, said, status))) => Ok(outcome(value, &said, status)),
        }
    }

    fn spawn(&self, input: File) -> std::io::Result<Child> {
        let terms = Terms {
            task: self.task.clone(),
            limits: self.limits,
            parent: nix::unistd::getpid().as_raw(),
            unprotected: self.protection == Protection::BestEffort,
            becomes: self.becomes.clone(),
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

/// A worker that is killed, with all of its group, when nobody waits for it any more.
struct Running {
    child: Child,
}

impl Running {
    fn end(&self) {
        // No id: it has been waited for, and the id may be another's.
        if let Some(id) = self.child.id() {
            let _ended = killpg(Pid::from_raw(id.cast_signed()), Signal::SIGKILL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// The first line, and the rest read to nowhere, so that the worker never waits for somebody to read it.
async fn first_line(mut stderr: impl AsyncRead + Unpin) -> String {
    let mut bytes = Vec::new();
    let _broken = (&mut stderr).take(ERROR_BYTES).read_to_end(&mut bytes).await;
    let _broken = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(SAID_CHARS).collect()
}

fn outcome<T>(value: T, said: &str, status: ExitStatus) -> Outcome<T> {
    let crashed = |end| Outcome::Crashed(Crash { end, said: said.to_owned() });
    match (status.code(), status.signal()) {
        (Some(0), _) => Outcome::Finished(value),
        (Some(code), _) if code == i32::from(UNPROTECTED) => Outcome::Unprotected(said.to_owned()),
        (Some(code), _) if code == i32::from(OUT_OF_MEMORY) => Outcome::OutOfMemory,
        (Some(code), _) if code == i32::from(TIMED_OUT) => Outcome::TimedOut,
        (Some(code), _) => crashed(CrashEnd::Code(code)),
        (None, Some(signal)) if is(signal, Signal::SIGXCPU) => Outcome::TimedOut,
        (None, Some(signal)) if is(signal, Signal::SIGABRT) && said.starts_with(REFUSED_ALLOCATION) => {
            Outcome::OutOfMemory
        }
        (None, signal) => crashed(CrashEnd::Signal(signal.unwrap_or_default())),
    }
}

fn is(number: i32, signal: Signal) -> bool {
    Signal::try_from(number) == Ok(signal)
}
