//! The reaper: a process that cleans up after `xtask`. It waits until `xtask` is gone (an end, Ctrl-C, a panic,
//! `kill -9`), ends the process groups that were started, and removes the ephemeral folder.
//!
//! It reads one line for each group, `<stage> <group> <signal>`, and acts at end of file, which the kernel delivers
//! when the other end dies. An orderly end takes the same path.

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

/// Longest time between the signal that asks a group to end and SIGKILL.
const GRACE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(10);

/// Arguments of the hidden subcommand.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to remove at the end
    #[arg(long)]
    remove: Option<PathBuf>,
}

/// Order of the end: users of a server before the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Users of the servers: the services, a test run.
    Service,
    /// PostgreSQL and Redis.
    Server,
}

/// A process group that the reaper ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) stage: Stage,
    /// Id of the group: the process id of its leader.
    pub(crate) id: i32,
    /// The signal that asks it to end.
    pub(crate) signal: Signal,
}

impl Group {
    /// The group as a line of the reaper's input.
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

/// Starts the reaper of a run. Its standard output is the folder's lock, which is so held until the clean-up is over,
/// even if `xtask` was killed.
pub(crate) fn spawn(folder: &Folder) -> Result<Child> {
    // The path of this program may be gone: a build of the workspace replaces the file.
    let mut command = Command::new("/proc/self/exe");
    // Another name, so that `pkill xtask` doesn't end the reaper.
    command.arg0("atelier-reaper").arg("reap").current_dir("/");
    if folder.is_ephemeral() {
        command.arg("--remove").arg(folder.path());
    }
    command.stdin(Stdio::piped()).stdout(folder.lock_handle()?).stderr(Stdio::null()).process_group(0);
    command.spawn().context("start the clean-up process")
}

/// Waits for the end of `xtask`, and cleans up.
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
        let _already_gone = killpg(Pid::from_raw(group.id), group.signal);
    }
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline && groups.clone().any(|group| is_running(Pid::from_raw(group.id))) {
        std::thread::sleep(POLL);
    }
    for group in groups {
        let _already_gone = killpg(Pid::from_raw(group.id), Signal::SIGKILL);
    }
}

/// Ignores the signals that end the others; only SIGKILL ends the reaper early.
fn ignore_signals() -> Result<()> {
    for signal in signal_hook::consts::TERM_SIGNALS.iter().chain([&signal_hook::consts::SIGHUP]) {
        signal_hook::flag::register(*signal, Arc::new(AtomicBool::new(false)))?;
    }
    // The name in `ps`. Systems without the file show the program's.
    let _cosmetic = std::fs::write("/proc/self/comm", "atelier-reaper");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Group, Stage};
    use nix::sys::signal::Signal;

    #[test]
    fn a_group_is_parsed_from_its_own_line() {
        let group = Group { stage: Stage::Server, id: 4321, signal: Signal::SIGINT };
        assert_eq!(Group::parse(&group.line()), Some(group));
    }

    #[test]
    fn a_line_that_would_end_every_process_of_the_machine_is_refused() {
        for line in ["server -1 SIGTERM", "server 0 SIGTERM", "server 1 SIGTERM", "server", ""] {
            assert_eq!(Group::parse(line), None, "{line}");
        }
    }
}
