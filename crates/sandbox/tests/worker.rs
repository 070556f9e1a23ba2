//! Rights and limits of a worker, and the outcome for its starter.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::io::{Seek, Write};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sandbox::{ForeignProgram, Limits, Protection, Worker, WorkerEnd};
use testkit::open_session::eventually;
use tokio::io::AsyncReadExt;

const LIMITS: Limits = Limits {
    time: Duration::from_secs(30),
    processor_time: Duration::from_secs(30),
    memory_bytes: 512 * 1024 * 1024,
    output_bytes: 64 * 1024,
    processors: None,
};

fn probe(attempt: &str, limits: Limits) -> Worker {
    Worker {
        program: env!("CARGO_BIN_EXE_sandbox-probe").into(),
        arguments: Vec::new(),
        task: attempt.to_owned(),
        limits,
        protection: Protection::Required,
        foreign: None,
    }
}

fn input(text: &str) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.rewind().unwrap();
    file
}

/// Outcome of an attempt, with its output.
async fn outcome(worker: &Worker, text: &str) -> WorkerEnd<String> {
    let read = async |output: &mut sandbox::Output| {
        let mut said = String::new();
        output.read_to_string(&mut said).await.unwrap();
        said
    };
    worker.run(input(text), read).await.unwrap()
}

#[tokio::test]
async fn a_worker_reads_its_file_and_writes_its_result() {
    let WorkerEnd::Finished(said) = outcome(&probe("compute", LIMITS), "the input").await else { panic!() };
    assert_snapshot!(said, @r#"read "input", summed [4950, 4950, 4950, 4950], knows ["ATELIER_SANDBOX"]"#);
}

#[tokio::test]
async fn a_worker_has_no_files_no_network_and_no_other_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    fs::write(&path, "the input").unwrap();
    let read = async |output: &mut sandbox::Output| {
        let mut said = String::new();
        output.read_to_string(&mut said).await.unwrap();
        said
    };
    let ended = probe("escape", LIMITS).run(File::open(&path).unwrap(), read).await.unwrap();
    let WorkerEnd::Finished(said) = ended else { panic!("{ended:?}") };
    assert_snapshot!(said, @"
    open a file: PermissionDenied
    open a file of its own process: PermissionDenied
    make a file: PermissionDenied
    make a folder: PermissionDenied
    remove a file: PermissionDenied
    ask whether a file is there: PermissionDenied
    list a folder: PermissionDenied
    change into a folder: PermissionDenied
    write into its input: Uncategorized
    connect by TCP: PermissionDenied
    send by UDP: PermissionDenied
    make a local socket: PermissionDenied
    start a program: PermissionDenied
    signal its parent: PermissionDenied
    signal its group: PermissionDenied
    raise a limit: PermissionDenied
    outlive its parent: PermissionDenied
    ");
    assert_eq!(fs::read_to_string(&path).unwrap(), "the input");
}

#[tokio::test]
async fn a_worker_inherits_no_descriptor_of_its_starter() {
    // Without close-on-exec.
    let planted = nix::unistd::dup(input("a secret")).unwrap();
    assert!(planted.as_raw_fd() > 4);
    let ended = outcome(&probe("inherited", LIMITS), "").await;
    assert_eq!(ended, WorkerEnd::Finished("[]\n".to_owned()));
}

#[tokio::test]
async fn a_worker_that_becomes_a_program_can_read_only_its_files() {
    let becoming = |arguments: &[&str]| {
        let files = ["/bin/cat", "/lib", "/lib64", "/usr/lib"].map(Into::into).to_vec();
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let program = ForeignProgram { path: "/bin/cat".into(), arguments, files };
        Worker { foreign: Some(program), ..probe("nothing of its own", LIMITS) }
    };
    assert_eq!(outcome(&becoming(&[]), "the input").await, WorkerEnd::Finished("the input".to_owned()));
    for file in ["/etc/passwd", "/proc/self/environ", "/dev/null"] {
        let WorkerEnd::Crashed(crash) = outcome(&becoming(&[file]), "").await else { panic!("{file}") };
        assert_eq!(crash.message, format!("/bin/cat: {file}: Permission denied"));
    }
}

#[tokio::test]
async fn a_worker_stands_behind_its_starter_and_keeps_to_its_processors() {
    let limits = Limits { processors: Some(1), ..LIMITS };
    let worker = probe("sleep", limits);
    let watched = async |output: &mut sandbox::Output| {
        output.read_exact(&mut [0; "sleeping\n".len()]).await.unwrap();
        let this = std::process::id();
        let children: Vec<String> = fs::read_dir(format!("/proc/{this}/task"))
            .unwrap()
            .filter_map(|task| fs::read_to_string(task.unwrap().path().join("children")).ok())
            .collect();
        let child = children.join(" ").trim().to_owned();
        let status = fs::read_to_string(format!("/proc/{child}/status")).unwrap();
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap();
        let processors = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
        // Fields behind the name, which stands in brackets: the state is the third of all, the niceness the nineteenth.
        let niceness = stat.rsplit_once(") ").unwrap().1.split(' ').nth(16).unwrap().to_owned();
        let _ended = kill(Pid::from_raw(child.parse().unwrap()), Signal::SIGKILL);
        (niceness, processors.trim().parse::<u32>().is_ok())
    };
    let mut seen = None;
    let ended =
        worker.run(input(""), async |output: &mut sandbox::Output| seen = Some(watched(output).await)).await;
    assert!(matches!(ended, Ok(WorkerEnd::Crashed(_))), "{ended:?}");
    assert_eq!(seen, Some(("5".to_owned(), true)));
}

#[tokio::test]
async fn a_hanging_worker_is_ended_at_its_time_limit() {
    let started = Instant::now();
    let limits = Limits { time: Duration::from_millis(300), ..LIMITS };
    assert_eq!(outcome(&probe("sleep", limits), "").await, WorkerEnd::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_busy_worker_is_ended_at_its_processor_time_limit() {
    let limits = Limits { processor_time: Duration::from_millis(100), ..LIMITS };
    assert_eq!(outcome(&probe("spin", limits), "").await, WorkerEnd::TimedOut);
}

#[tokio::test]
async fn a_worker_cannot_exceed_its_memory_limit() {
    for attempt in ["allocate", "reserve"] {
        assert_eq!(outcome(&probe(attempt, LIMITS), "").await, WorkerEnd::OutOfMemory, "{attempt}");
    }
}

#[tokio::test]
async fn a_worker_cannot_exceed_its_output_limit() {
    assert_eq!(outcome(&probe("write", LIMITS), "").await, WorkerEnd::OutputTooLarge);
}

#[tokio::test]
async fn a_crash_names_its_source_location_and_quotes_no_input() {
    let shown = async |attempt: &str| {
        let ended = outcome(&probe(attempt, LIMITS), "an uploaded text").await;
        let WorkerEnd::Crashed(crash) = ended else { panic!("{ended:?}") };
        // The number of the thread and the line differ from run to run and from edit to edit.
        crash.to_string().chars().filter(|c| !c.is_ascii_digit()).collect::<String>()
    };
    assert_snapshot!(
        shown("panic").await,
        @"exit code : thread 'main' () panicked at crates/sandbox/tests/support/probe.rs:::"
    );
    assert_snapshot!(shown("overflow").await, @"signal : thread 'main' () has overflowed its stack");
    assert_snapshot!(shown("index").await, @"exit code : invalid data");
}

#[tokio::test]
async fn a_killed_worker_is_reported_with_its_signal() {
    let worker = named("killed");
    let read = async |output: &mut sandbox::Output| {
        output.read_u8().await.unwrap();
        kill(pid_of("killed").unwrap(), Signal::SIGKILL).unwrap();
    };
    let ended = worker.run(input(""), read).await.unwrap();
    let WorkerEnd::Crashed(crash) = ended else { panic!("{ended:?}") };
    assert_snapshot!(crash, @"signal 9");
}

#[tokio::test]
async fn a_worker_ends_with_the_future_that_waits_for_it() {
    let worker = named("abandoned");
    let (began, begun) = tokio::sync::oneshot::channel();
    let run = worker.run(input(""), async |output: &mut sandbox::Output| {
        output.read_u8().await.unwrap();
        began.send(()).unwrap();
        output.read_u8().await.unwrap();
    });
    tokio::select! {
        ended = run => panic!("{ended:?}"),
        sleeping = begun => sleeping.unwrap(),
    }
    eventually("the worker is gone", || pid_of("abandoned").is_none()).await;
}

#[tokio::test]
async fn a_missing_program_is_an_error_and_no_outcome() {
    let worker = Worker { program: "/nowhere".into(), ..probe("compute", LIMITS) };
    let error = worker.run(input(""), async |_: &mut sandbox::Output| ()).await.unwrap_err();
    assert_eq!(error.code, domain::Code::InternalError);
}

#[test]
fn a_worker_without_terms_does_nothing() {
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_sandbox-probe")).arg("compute").output().unwrap();
    assert_eq!(output.status.code(), Some(77));
    assert!(output.stdout.is_empty());
}

/// A sleeping worker with a unique argument, by which the test finds its process.
fn named(name: &str) -> Worker {
    Worker { arguments: vec![name.into()], ..probe("sleep", LIMITS) }
}

fn pid_of(name: &str) -> Option<Pid> {
    let processes =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let has_name = |pid: &i32| {
        let arguments = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        arguments.ends_with(&format!("sandbox-probe\0{name}\0"))
    };
    let mut found = processes.filter(has_name);
    found.next().map(Pid::from_raw)
}
