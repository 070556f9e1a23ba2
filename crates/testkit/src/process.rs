//! A process of a test. It ends with the test, logs to a file, and can be killed,
//! paused and measured.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails by panicking")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// Runs a program until standard input closes, which also happens when the test dies, and returns the program's exit
/// code. The kernel sends the ignored hang-up to a process group that lost its parent while a member was stopped.
const KEEPER: &str = concat!(
    r#"trap '' HUP; exec 3>&1 >>"$0" 2>&1; "$@" 3>&- </dev/null & p=$!; echo $p >&3; exec 3>&-; "#,
    "read -r _; kill -9 $p 2>/dev/null; wait $p",
);
const POLL: Duration = Duration::from_millis(5);

/// A program to run.
#[derive(Clone)]
pub struct Recipe {
    /// Name for messages.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its environment, beside `PATH` and the machine's own needs.
    pub environment: Vec<(String, String)>,
    /// User and group, if this process is root and the program refuses to be.
    pub run_as: Option<(u32, u32)>,
    /// The file to which its output is appended.
    pub log: PathBuf,
}

/// A running process.
pub struct Process {
    name: String,
    pid: Pid,
    keeper: Child,
    held: Option<ChildStdin>,
    log: PathBuf,
}

impl Process {
    /// Starts the program.
    pub fn spawn(recipe: &Recipe) -> Self {
        File::options().create(true).append(true).open(&recipe.log).unwrap();
        let mut keeper = Command::new("sh");
        keeper
            .args(["-c", KEEPER])
            .arg(&recipe.log)
            .arg(&recipe.program)
            .args(&recipe.arguments)
            .envs(recipe.environment.iter().map(|(name, value)| (name, value)))
            // Ctrl-C would otherwise end the wrapper before the program.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if let Some((user, group)) = recipe.run_as {
            std::os::unix::fs::chown(&recipe.log, Some(user), Some(group)).unwrap();
            keeper.uid(user).gid(group).current_dir(recipe.log.parent().unwrap());
        }
        let mut keeper = keeper.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self {
            name: recipe.name.clone(),
            pid: Pid::from_raw(line.trim().parse().unwrap()),
            held: keeper.stdin.take(),
            keeper,
            log: recipe.log.clone(),
        }
    }

    /// Kills the process (SIGKILL) and waits for its end.
    pub fn kill(mut self) {
        self.end();
    }

    /// Waits for the process to end; returns its exit code.
    pub fn wait_for_end(mut self, within: Duration) -> Option<i32> {
        self.wait_until(within, "end", |process| process.has_ended().then_some(()));
        self.end()
    }

    /// Pauses the process (SIGSTOP).
    pub fn pause(&self) {
        self.signal(Signal::SIGSTOP);
    }

    /// Resumes a paused process.
    pub fn resume(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill(self.pid, signal).unwrap();
    }

    /// Numbers of its open descriptors.
    pub fn descriptors(&self) -> Vec<i32> {
        let all = fs::read_dir(format!("/proc/{}/fd", self.pid)).unwrap();
        all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
    }

    /// Peak resident memory, in bytes.
    pub fn peak_memory_bytes(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
        kib * 1024
    }

    /// Processor time used so far.
    pub fn cpu_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap();
        let (_, fields) = stat.rsplit_once(')').unwrap();
        // Fields 14 and 15, in ticks of 10 ms on every common Linux.
        let ticks: u64 =
            fields.split_whitespace().skip(11).take(2).map(|text| text.parse::<u64>().unwrap()).sum();
        Duration::from_millis(ticks * 10)
    }

    /// Ids of running child processes.
    pub fn children(&self) -> Vec<Pid> {
        let all =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let is_child =
            |id: &Pid| matches!(state_of(*id), Some((state, parent)) if state != 'Z' && parent == self.pid);
        all.map(Pid::from_raw).filter(is_child).collect()
    }

    /// True if the process has ended on its own.
    pub fn has_ended(&self) -> bool {
        !is_running(self.pid)
    }

    /// Waits until `found` returns a value. Panics if the process ends first, or after a timeout.
    pub fn wait_for<T>(&self, within: Duration, what: &str, found: impl Fn() -> Option<T>) -> T {
        self.wait_until(within, what, |process| {
            let value = found();
            if value.is_none() && process.has_ended() {
                panic!("{} ended before it could {what}:\n{}", process.name, process.output());
            }
            value
        })
    }

    /// The log written so far.
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Path of the log.
    pub fn log(&self) -> &Path {
        &self.log
    }

    fn wait_until<T>(&self, within: Duration, what: &str, found: impl Fn(&Self) -> Option<T>) -> T {
        let deadline = Instant::now() + within;
        loop {
            if let Some(value) = found(self) {
                return value;
            }
            assert!(
                Instant::now() < deadline,
                "{} did not {what} within {within:?}:\n{}",
                self.name,
                self.output()
            );
            sleep(POLL);
        }
    }

    fn end(&mut self) -> Option<i32> {
        self.held.take()?;
        // A paused process can't be reaped before it is killed, and SIGKILL works on paused ones.
        let code = self.keeper.wait().unwrap().code();
        // Also the processes started by the program.
        let _none_left = killpg(Pid::from_raw(self.keeper.id().cast_signed()), Signal::SIGKILL);
        code
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// True if the process exists and has not ended.
pub fn is_running(process: Pid) -> bool {
    state_of(process).is_some_and(|(state, _)| state != 'Z')
}

/// A process's state letter and parent; `None` without such a process.
fn state_of(process: Pid) -> Option<(char, Pid)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.chars().next()?, Pid::from_raw(fields.next()?.parse().ok()?)))
}
