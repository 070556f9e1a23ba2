//! Code of a local file: it leaves neither an object nor a session, however its run ends.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdout};

use crate::support::{CommandLine, Finished};

/// Code that prints until it is stopped.
const ENDLESS: &str = "for (;;) { console.log('more'); await new Promise((go) => setTimeout(go, 20)); }";

/// A run of endless code that has printed its first line.
async fn begun(terminal: &CommandLine) -> (Child, BufReader<ChildStdout>) {
    terminal.write("endless.js", ENDLESS);
    let mut child = terminal.start(&["exec", "gearbox", "endless.js"]);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).await.unwrap();
    assert_eq!(line, "more\n");
    (child, output)
}

/// Checks that the project has no object but its own.
async fn check_objects(terminal: &CommandLine) {
    let objects = terminal.objects().await;
    assert_eq!(objects.keys().collect::<Vec<_>>(), ["/Library", "/Model"]);
    let changes = terminal.run(&["diff", "gearbox"]).await.expect(0);
    assert_eq!(changes.stderr, "gearbox has no uncommitted changes.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_by_a_signal_leaves_nothing() {
    let terminal = CommandLine::open().await;
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let (child, output) = begun(&terminal).await;
        kill(Pid::from_raw(child.id().unwrap().try_into().unwrap()), signal).unwrap();
        let ended = Finished::of(child.wait_with_output().await.unwrap()).expect(130);
        assert_eq!(ended.stderr, "error: stopped\n", "{signal}");
        drop(output);
        check_objects(&terminal).await;
        let sessions = terminal.run(&["sessions", "list", "gearbox", "--json"]).await.expect(0);
        assert_eq!(sessions.stdout, "", "{signal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_leaves_ends_the_run_and_leaves_nothing() {
    let terminal = CommandLine::open().await;
    let (child, output) = begun(&terminal).await;
    drop(output);
    let ended = Finished::of(child.wait_with_output().await.unwrap()).expect(0);
    assert_eq!(ended.stderr, "");
    check_objects(&terminal).await;
    let sessions = terminal.run(&["sessions", "list", "gearbox", "--json"]).await.expect(0);
    assert_eq!(sessions.stdout, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_the_code_has_its_code() {
    let terminal = CommandLine::open().await;
    terminal.write("wrong.js", "throw new Error('no');");
    let lines = terminal.run(&["exec", "gearbox", "wrong.js", "--json"]).await.expect(1).lines();
    assert_eq!(lines.last().unwrap()["error"]["code"], serde_json::json!("UNCAUGHT_ERROR"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_leaves_no_object() {
    let terminal = CommandLine::open().await;
    let (mut child, _output) = begun(&terminal).await;
    child.start_kill().unwrap();
    child.wait().await.unwrap();
    check_objects(&terminal).await;
}
