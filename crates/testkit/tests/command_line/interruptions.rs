//! Uploads that are killed, signed out or cut off: the same command goes on, and every file is there once.

use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use testkit::open_session::eventually_async;
use testkit::seed::MANAGE;

use crate::support::{CommandLine, Finished, sha256};

/// Waits until this number of files, or more, is in the tree.
async fn wait_for_files(terminal: &CommandLine, number: usize) {
    eventually_async("files arrive", async || terminal.tree().await.len() >= number).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_keeps_the_state_and_says_how_to_go_on() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(2_000);
    let upload = ["upload", "parts", "--to", "gearbox:/Model"];
    let child = terminal.start(&upload);
    wait_for_files(&terminal, 20).await;
    let id = nix::unistd::Pid::from_raw(child.id().unwrap().try_into().unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    let stopped = Finished::of(child.wait_with_output().await.unwrap()).expect(130);
    assert!(stopped.stderr.contains("run the same command to go on"), "{}", stopped.stderr);
    let rest = terminal.run(&upload).await.expect(0);
    assert!(rest.stderr.contains("Resuming"), "{}", rest.stderr);
    terminal.check_parts("/Model").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_ends_the_run_with_4_and_a_new_key_goes_on() {
    let mut terminal = CommandLine::open().await;
    terminal.write_parts(3_000);
    let upload = ["upload", "parts", "--to", "gearbox:/Model"];
    let child = terminal.start(&upload);
    wait_for_files(&terminal, 30).await;
    terminal.deployment.operator().run(&["key", "revoke", "--key-id", &terminal.key_id]).await;
    let ended = Finished::of(child.wait_with_output().await.unwrap()).expect(4);
    assert!(ended.stderr.contains("ATELIER_KEY"), "{}", ended.stderr);
    assert!(!ended.stderr.contains(terminal.caller.credential()));

    let key = terminal.user.issue(MANAGE, &[]).await;
    (terminal.caller, terminal.key_id) = (key.caller, key.id);
    terminal.run(&upload).await.expect(0);
    terminal.check_parts("/Model").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_plane_that_dies_and_comes_back_costs_the_run_nothing() {
    let mut terminal = CommandLine::own().await;
    terminal.deployment.leaves_blobs = true;
    terminal.write_parts(2_000);
    terminal.write("parts/large.bin", vec![9; 30 * 1024 * 1024]);
    let child = terminal.start(&["upload", "parts", "--to", "gearbox:/Model", "--json"]);
    wait_for_files(&terminal, 20).await;
    terminal.deployment.data[0].kill();
    terminal.deployment.data[0].restart();
    let ended = Finished::of(child.wait_with_output().await.unwrap()).expect(0);
    assert_eq!(ended.event("summary")["sent"], json!(2_001));
    terminal.check_parts("/Model").await;
}

const UPLOAD_LARGE: [&str; 5] = ["upload", "large.bin", "--to", "gearbox:/Model", "--json"];

/// Writes a large file, and kills its upload after some pieces.
async fn kill_a_large_upload(terminal: &CommandLine) -> (PathBuf, Vec<u8>) {
    let bytes: Vec<u8> =
        (0..160 * 1024 * 1024_u32).map(|n| n.to_le_bytes()[usize::try_from(n % 3).unwrap()]).collect();
    let path = terminal.write("large.bin", &bytes);
    let received = async || {
        let sessions = terminal.caller.get(&format!("/api/v2/projects/{}/sessions", terminal.project)).await;
        let sessions = sessions.expect(200).json();
        let Some(session) = sessions["sessions"][0]["sessionId"].as_str().map(str::to_owned) else {
            return 0;
        };
        let path = format!("/api/v2/projects/{}/sessions/{session}/uploads", terminal.project);
        let uploads = terminal.caller.get(&path).await.expect(200).json();
        uploads["uploads"][0]["receivedBytes"].as_u64().unwrap_or_default()
    };
    let mut child = terminal.start(&UPLOAD_LARGE);
    eventually_async("some pieces arrive", async || received().await >= 32 * 1024 * 1024).await;
    child.start_kill().unwrap();
    child.wait().await.unwrap();
    assert!(received().await >= 32 * 1024 * 1024);
    (path, bytes)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_goes_on_where_it_was() {
    let terminal = CommandLine::open().await;
    let (_, bytes) = kill_a_large_upload(&terminal).await;
    // Told before it goes on: what has arrived is not left.
    let plan = terminal.run(&[&UPLOAD_LARGE[..], &["--dry-run"]].concat()).await.expect(0).event("plan");
    let (all, left) = (plan["bytes"].as_u64().unwrap(), plan["bytesToSend"].as_u64().unwrap());
    assert!(left + 32 * 1024 * 1024 <= all && plan["resumed"] == true, "{plan}");
    terminal.run(&UPLOAD_LARGE).await.expect(0);
    assert_eq!(terminal.tree().await["/Model/large.bin"], [sha256(&bytes)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_that_another_program_changed_unseen_is_called_damaged() {
    let terminal = CommandLine::open().await;
    let (path, _) = kill_a_large_upload(&terminal).await;
    let large = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let modified = large.metadata().unwrap().modified().unwrap();
    large.write_at(b"changed", 1_000_000).unwrap();
    large.set_modified(modified).unwrap();
    let ended = terminal.run(&UPLOAD_LARGE).await.expect(3);
    assert!(ended.stdout.contains("arrived damaged"), "{}", ended.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_without_a_service_is_5() {
    let terminal = CommandLine::open().await;
    let mut command = terminal.command(&["whoami", "--url", "http://127.0.0.1:9"]);
    let ended = tokio::time::timeout(Duration::from_secs(300), command.output()).await.unwrap().unwrap();
    let ended = Finished::of(ended).expect(5);
    assert!(ended.stderr.contains("cannot reach 127.0.0.1:9"), "{}", ended.stderr);
}
