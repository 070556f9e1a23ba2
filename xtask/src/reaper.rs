//! The clean-up, in a process of its own: it waits until `xtask` is gone, in whatever way (an end, Ctrl-C, a panic,
//! `kill -9`), then ends the process groups that were started, and removes the throw-away folder.
//!
//! It reads one line for each group, `<stage> <group> <signal>`, and acts at end of file, which the kernel delivers
//! when the other end dies. So there is one path of clean-up, and an orderly end takes it too.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::folder::Folder;
use crate::process_table::is_running;

/// How long a group may take to end by itself.
const GRACE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(10);

/// Arguments of the hidden subcommand.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to remove at the end.
    #[arg(long)]
    remove: Option<PathBuf>,
}

/// When a group is ended: users of a server before the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// What uses the servers: the services, a test run.
    Service,
    /// PostgreSQL and Redis.
    Server,
}

/// One process group to end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) stage: Stage,
    /// The id of the group, which is the process id of its leader.
    pub(crate) id: i32,
    /// The signal that asks it to end.
    pub(crate) signal: Signal,
}

impl Group {
    /// The line that announces it to the reaper.
    pub(crate) fn line(&self) -> String {
        let stage = match self.stage {
            Stage::Service => "service",
            Stage::Server => "server",
        };
        format!("{stage} {} {}\n", self.id, self.signal)
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let stage = match words.next()? {
            "service" => Stage::Service,
            "server" => Stage::Server,
            _ => return None,
        };
        let id = words.next()?.parse().ok().filter(|id| *id > 1)?;
        let signal = words.next()?.parse().ok()?;
        Some(Self { stage, id, signal })
    }
}

/// Starts the reaper of a run. Its standard input is the line to it; its standard output is the folder's lock, so that
/// the lock is held until the clean-up is over, even if `xtask` itself was killed.
pub(crate) fn spawn(folder: &Folder) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    // A name of its own: whoever kills `xtask` by name should not hit the one who cleans up after it.
    command.arg0("atelier-reaper").arg("reap").current_dir("/");
    if folder.is_ephemeral() {
        command.arg("--remove").arg(folder.path());
    }
    command.stdin(Stdio::piped()).stdout(folder.lock_handle()?).stderr(Stdio::null()).process_group(0);
    command.spawn().context("start the clean-up process")
}

/// The hidden subcommand.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    ignore_signals()?;
    let groups: Vec<Group> =
        std::io::stdin().lines().map_while(Result::ok).filter_map(|line| Group::parse(&line)).collect();
    for stage in [Stage::Service, Stage::Server] {
        end(groups.iter().filter(|group| group.stage == stage));
    }
    if let Some(path) = &args.remove {
        Folder::remove(path)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn end<'a>(groups: impl Iterator<Item = &'a Group> + Clone) {
    for group in groups.clone() {
        // A group that is gone already is what is wanted.
        let _gone = killpg(Pid::from_raw(group.id), group.signal);
    }
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline && groups.clone().any(|group| is_running(Pid::from_raw(group.id))) {
        std::thread::sleep(POLL);
    }
    for group in groups {
        let _gone = killpg(Pid::from_raw(group.id), Signal::SIGKILL);
    }
}

/// The reaper outlives what ends the others; only SIGKILL ends it early.
fn ignore_signals() -> Result<()> {
    for signal in signal_hook::consts::TERM_SIGNALS.iter().chain([&signal_hook::consts::SIGHUP]) {
        signal_hook::flag::register(*signal, Arc::new(AtomicBool::new(false)))?;
    }
    // Its name for `ps` and `pkill`, where the system has the file; cosmetic elsewhere.
    let _cosmetic = std::fs::write("/proc/self/comm", "atelier-reaper");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Group, Stage};
    use nix::sys::signal::Signal;

    #[test]
    fn a_group_survives_the_way_to_the_reaper() {
        let group = Group { stage: Stage::Server, id: 4321, signal: Signal::SIGINT };
        assert_eq!(Group::parse(&group.line()), Some(group));
    }

    #[test]
    fn a_line_that_would_end_every_process_of_the_machine_is_not_a_group() {
        for line in ["server -1 SIGTERM", "server 0 SIGTERM", "server 1 SIGTERM", "server", ""] {
            assert_eq!(Group::parse(line), None, "{line}");
        }
    }
}
