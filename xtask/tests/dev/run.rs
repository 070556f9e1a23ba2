//! A run of `cargo xtask dev` as a process, with its own target folder.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;
use testkit::guide::repository;

const LIMIT: Duration = Duration::from_secs(60);

/// A folder for data that no other run uses.
pub(crate) struct Place {
    pub(crate) target: TempDir,
}

/// A run of `cargo xtask dev`.
pub(crate) struct Run {
    pub(crate) child: Child,
    pub(crate) ready_file: PathBuf,
    log: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let target = tempfile::Builder::new().permissions(mode(0o711)).tempdir().unwrap();
        // Installed programs of earlier runs are used again.
        let tools = Path::new(env!("CARGO_BIN_EXE_xtask")).ancestors().nth(2).unwrap().join("tools");
        std::os::unix::fs::symlink(tools, target.path().join("tools")).unwrap();
        Self { target }
    }

    pub(crate) fn dev(&self, name: &str, args: &[&str]) -> Run {
        self.dev_with(name, args, &[])
    }

    /// Starts a run whose services have these settings.
    pub(crate) fn dev_with(&self, name: &str, args: &[&str], settings: &[(&str, &OsStr)]) -> Run {
        let ready_file = self.target.path().join(format!("{name}.json"));
        let log = self.target.path().join(format!("{name}.log"));
        let output = fs::File::create(&log).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["dev", "--no-build", "--ready-file"])
            .arg(&ready_file)
            .args(args)
            .current_dir(repository())
            .envs(settings.iter().copied())
            .env("CARGO_TARGET_DIR", self.target.path())
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Run { child, ready_file, log }
    }

    /// The existing temporary folders.
    pub(crate) fn folders(&self) -> Vec<String> {
        let entries = fs::read_dir(self.target.path().join("dev")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("run-")).collect()
    }
}

impl Run {
    /// The content of the ready file, once it exists.
    pub(crate) fn ready(&mut self) -> Value {
        until("the run was not ready", || {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("dev ended ({status}):\n{}", self.output());
            }
            fs::read(&self.ready_file).ok().map(|text| serde_json::from_slice(&text).unwrap())
        })
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    pub(crate) fn output(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Ends the run of a failed test; other tests have ended it.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

pub(crate) fn until<T>(failure: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(Instant::now() < deadline, "{failure}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn mode(mode: u32) -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(mode)
}
