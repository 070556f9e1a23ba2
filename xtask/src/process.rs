//! Children and signals of one run. The supervisor reports each child to the reaper, which ends it. The end of a child
//! and Ctrl-C are events.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::reaper::{self, Group, Stage};

const POLL: Duration = Duration::from_millis(20);
/// Lines of a dead child's log in the error message.
const TAIL_LINES: usize = 60;

/// The end of this program by a signal. Not a failure; nothing is printed.
#[derive(Debug)]
pub(crate) struct Interrupted(i32);

impl Interrupted {
    /// 128 plus the number of the signal, by the convention of shells.
    pub(crate) fn exit_code(&self) -> u8 {
        u8::try_from(128_i32.saturating_add(self.0)).unwrap_or(u8::MAX)
    }
}

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "interrupted by signal {}", self.0)
    }
}

impl std::error::Error for Interrupted {}

/// A child to start.
pub(crate) struct Spec {
    /// Name in messages.
    pub(crate) name: String,
    pub(crate) command: Command,
    /// File of its output; the terminal if absent.
    pub(crate) log: Option<PathBuf>,
    pub(crate) stage: Stage,
    /// Signal that asks it to end.
    pub(crate) stop: Signal,
}

impl Spec {
    /// A child of [`Stage::Service`] that ends on SIGTERM.
    pub(crate) fn service(name: impl Into<String>, command: Command, log: Option<PathBuf>) -> Self {
        Self { name: name.into(), command, log, stage: Stage::Service, stop: Signal::SIGTERM }
    }
}

/// The children of one run. Dropping it ends all of them and waits for their end.
pub(crate) struct Supervisor {
    reaper: Child,
    pipe: Option<ChildStdin>,
    sender: Sender<Event>,
    events: Receiver<Event>,
}

enum Event {
    Signal(i32),
    Exited(Exited),
}

struct Exited {
    process: u32,
    name: String,
    status: ExitStatus,
    log: Option<PathBuf>,
}

impl Supervisor {
    /// Starts the reaper of `folder`, and handles Ctrl-C, SIGTERM and SIGHUP. One per process.
    pub(crate) fn start(folder: &Folder) -> Result<Self> {
        let mut reaper = reaper::spawn(folder)?;
        let pipe = reaper.stdin.take();
        let (sender, events) = channel();
        forward_signals(sender.clone())?;
        Ok(Self { reaper, pipe, sender, events })
    }

    /// Starts a child in a process group of its own. Returns its process id.
    pub(crate) fn spawn(&mut self, spec: Spec) -> Result<u32> {
        let Spec { name, mut command, log, stage, stop } = spec;
        command.stdin(Stdio::null()).process_group(0);
        if let Some(path) = &log {
            let file = File::create(path).with_context(|| format!("create {}", path.display()))?;
            command.stdout(file.try_clone()?).stderr(file);
        }
        let mut child = command.spawn().with_context(|| format!("start {name}"))?;
        let process = child.id();
        let group = Group { stage, id: i32::try_from(process)?, signal: stop };
        if let Some(pipe) = &mut self.pipe {
            pipe.write_all(group.line().as_bytes()).context("the reaper has died")?;
        }
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            if let Ok(status) = child.wait() {
                // Fails once the run is over.
                let _over = sender.send(Event::Exited(Exited { process, name, status, log }));
            }
        });
        Ok(process)
    }

    /// Runs a child to its end with its output on the terminal.
    ///
    /// # Errors
    /// A signal, or the death of another child meanwhile.
    pub(crate) fn run(&mut self, name: &str, command: Command) -> Result<ExitStatus> {
        let process = self.spawn(Spec::service(name, command, None))?;
        match self.events.recv()? {
            Event::Exited(exited) if exited.process == process => Ok(exited.status),
            event => Err(event.into_error()),
        }
    }

    /// Calls `ready` until it answers.
    ///
    /// # Errors
    /// A signal, the death of a child, or the timeout.
    pub(crate) fn wait_for<T>(
        &self,
        what: &str,
        limit: Duration,
        mut ready: impl FnMut() -> Option<T>,
    ) -> Result<T> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(value) = ready() {
                return Ok(value);
            }
            if Instant::now() > deadline {
                bail!("{what} was not ready within {} s", limit.as_secs());
            }
            match self.events.recv_timeout(POLL) {
                Ok(event) => return Err(event.into_error()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Blocks until a signal arrives or a child dies. Returns that event.
    pub(crate) fn wait(&self) -> anyhow::Error {
        match self.events.recv() {
            Ok(event) => event.into_error(),
            Err(error) => error.into(),
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ended = self.reaper.wait();
    }
}

impl Event {
    fn into_error(self) -> anyhow::Error {
        match self {
            Self::Signal(signal) => Interrupted(signal).into(),
            Self::Exited(Exited { name, status, log, .. }) => {
                let shown = log.map(|path| tail(&path)).unwrap_or_default();
                anyhow!("{name} ended unexpectedly ({status}){shown}")
            }
        }
    }
}

/// The exit code of a program that ran in place of this one.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

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

/// The first signal becomes an event, and the run ends in order. The second ends this process at once; the reaper still
/// cleans up.
fn forward_signals(sender: Sender<Event>) -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        let mut arrived = signals.forever();
        if let Some(first) = arrived.next() {
            let _over = sender.send(Event::Signal(first));
        }
        if let Some(second) = arrived.next() {
            std::process::exit(Interrupted(second).exit_code().into());
        }
    });
    Ok(())
}

fn tail(path: &Path) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.get(lines.len().saturating_sub(TAIL_LINES)..).unwrap_or_default();
    format!("; the end of {}:\n{}", path.display(), last.join("\n"))
}
