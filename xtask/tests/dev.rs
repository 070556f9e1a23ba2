//! `cargo xtask dev` from the outside: what it announces answers, and what it started ends with it, however it ends.
//! These run the built programs as they are; `cargo xtask test` builds them first.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(60);

/// A place for data folders that no other run uses.
struct Place {
    target: TempDir,
}

/// A run of `cargo xtask dev`.
struct Run {
    child: Child,
    ready_file: PathBuf,
    log: PathBuf,
}

impl Place {
    fn new() -> Self {
        let target = tempfile::Builder::new().permissions(mode(0o711)).tempdir().unwrap();
        // Programs that an earlier run installed need not be installed again.
        let tools = Path::new(env!("CARGO_BIN_EXE_xtask")).ancestors().nth(2).unwrap().join("tools");
        std::os::unix::fs::symlink(tools, target.path().join("tools")).unwrap();
        Self { target }
    }

    fn dev(&self, name: &str, args: &[&str]) -> Run {
        let ready_file = self.target.path().join(format!("{name}.json"));
        let log = self.target.path().join(format!("{name}.log"));
        let output = fs::File::create(&log).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["dev", "--no-build", "--ready-file"])
            .arg(&ready_file)
            .args(args)
            .current_dir(repository())
            .env("CARGO_TARGET_DIR", self.target.path())
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Run { child, ready_file, log }
    }

    /// The throw-away folders that are there.
    fn folders(&self) -> Vec<String> {
        let entries = fs::read_dir(self.target.path().join("dev")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("run-")).collect()
    }
}

impl Run {
    /// What the ready file says, once it is there.
    fn ready(&mut self) -> Value {
        until("the run was not ready", || {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("dev ended ({status}):\n{}", self.output());
            }
            fs::read(&self.ready_file).ok().map(|text| serde_json::from_slice(&text).unwrap())
        })
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    fn output(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // A test that failed ends its run here; the others have ended it.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[test]
fn an_interrupt_ends_everything_of_its_run_and_nothing_of_another() {
    let place = Place::new();
    let (mut first, mut second) =
        (place.dev("first", &["--ephemeral"]), place.dev("second", &["--ephemeral"]));
    let (one, other) = (first.ready(), second.ready());

    first.signal(Signal::SIGINT);
    assert_eq!(first.wait().code(), Some(130));

    assert_eq!(listening(&one), Vec::<String>::new(), "left behind");
    assert!(!first.ready_file.exists(), "the ready file announces what is gone");
    assert_eq!(listening(&other).len(), 6, "the other run is whole");
    assert_eq!(place.folders().iter().filter(|name| !name.ends_with(".lock")).count(), 1);

    second.signal(Signal::SIGTERM);
    assert_eq!(second.wait().code(), Some(143));
    assert_eq!(place.folders(), Vec::<String>::new());
}

#[test]
fn a_run_that_is_killed_outright_leaves_no_process_and_no_folder() {
    let place = Place::new();
    let mut run = place.dev("run", &["--ephemeral", "--replicas", "2"]);
    let ready = run.ready();

    run.signal(Signal::SIGKILL);
    assert_eq!(run.wait().signal(), Some(9));

    until("something was left behind", || {
        (listening(&ready).is_empty() && place.folders().is_empty()).then_some(())
    });
}

#[test]
fn a_second_run_on_the_same_data_names_the_first_and_data_survive_a_kill() {
    let place = Place::new();
    let mut first = place.dev("first", &[]);
    let ready = first.ready();
    let mut second = place.dev("second", &[]);
    assert_eq!(second.wait().code(), Some(1));
    let refusal = format!("process {} at {}", first.child.id(), text(&ready, "controlUrl"));
    assert!(second.output().contains(&refusal), "{}", second.output());

    first.signal(Signal::SIGKILL);
    first.wait();
    let mut third = place.dev("third", &[]);
    let again = third.ready();
    for kept in ["userId", "orgId", "apiKey"] {
        assert_eq!(again[kept], ready[kept], "{kept}");
    }
    third.signal(Signal::SIGINT);
    third.wait();
}

#[test]
fn the_commands_of_the_readme_work_as_they_are_written() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let place = Place::new();
    let mut run = place.dev("run", &["--ephemeral"]);
    run.ready();

    let start = "cargo xtask dev --ready-file target/ready.json";
    assert!(readme.contains(start) && readme.contains("cargo xtask test"), "the two commands");
    let script = shell_blocks(&readme).replace("target/ready.json", run.ready_file.to_str().unwrap());
    assert_eq!(
        script.matches("curl -sS").count(),
        5,
        "three requests for an upload, one to see it, and the one of which a plan is made:\n{script}"
    );
    // They upload this file, and leave a clone where they run.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("README.md"), &readme).unwrap();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{errors}\n{}", run.output());
    // The upload's answer, and the tree that now holds it.
    assert_eq!(printed.matches(r#""name":"README.md""#).count(), 2, "{printed}");
    // The board and the report: of the two cards that were planned one was made and one was not.
    let told = printed.split_once(r#"{"report":"#).map_or("", |(_, report)| report);
    assert!(told.contains(r#""status":"completed""#), "{printed}");
    for part in ["done", "carried_over"] {
        assert!(
            told.contains(&format!(r#""{part}":{{"total":{{"cards":1,"effort":3}}"#)),
            "{part}: {printed}"
        );
    }

    run.signal(Signal::SIGINT);
    run.wait();
}

/// The blocks marked `sh`, but for those that start the service or the tests.
fn shell_blocks(readme: &str) -> String {
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| !block.starts_with("cargo xtask")).collect()
}

/// The addresses of a run that someone listens on.
fn listening(ready: &Value) -> Vec<String> {
    let names = ["controlUrl", "dataUrl", "opsUrl", "dataOpsUrl", "databaseUrl", "redisUrl"];
    let address = |name: &&str| {
        let rest = text(ready, name).split_once("://").unwrap().1.to_owned();
        let rest = rest.rsplit_once('@').map_or(rest.clone(), |(_, host)| host.to_owned());
        rest.split('/').next().unwrap().to_owned()
    };
    names.iter().map(address).filter(|address| TcpStream::connect(address).is_ok()).collect()
}

fn text<'a>(ready: &'a Value, name: &str) -> &'a str {
    ready[name].as_str().unwrap()
}

fn until<T>(failure: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(Instant::now() < deadline, "{failure}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn mode(mode: u32) -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(mode)
}
