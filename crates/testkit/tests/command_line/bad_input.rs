//! Files, disks and connections as they should not be: nothing is lost, nothing is there twice.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, UNIX_EPOCH};

use nix::unistd::{Gid, Uid, chown};
use serde_json::json;
use testkit::deployment::Options;
use testkit::environment::program;
use testkit::open_session::eventually_async;
use testkit::seed::MANAGE;

use crate::support::{CommandLine, Finished, files_below, sha256};

const UPLOAD: [&str; 5] = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
/// A user without rights.
const NOBODY: u32 = 65_534;

#[tokio::test(flavor = "multi_thread")]
async fn files_without_permission_are_listed_and_the_rest_arrives() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(5);
    let secret = terminal.write("parts/secret.txt", "secret");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
    let locked = terminal.files.path().join("parts/locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = terminal.command(&UPLOAD);
    if Uid::effective().is_root() {
        // Permissions don't hold root back.
        let own = terminal.files.path().join("atelier");
        std::fs::copy(program("atelier"), &own).unwrap();
        let home = terminal.files.path().join("home");
        std::fs::create_dir(&home).unwrap();
        let (user, group) = (Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY)));
        for path in [terminal.files.path(), &own, &home, &secret, &locked] {
            chown(path, user, group).unwrap();
        }
        let environment =
            command.as_std().get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned()));
        let mut as_nobody = tokio::process::Command::new(own);
        as_nobody.args(UPLOAD).env_clear().envs(environment.collect::<Vec<_>>()).env("HOME", home);
        as_nobody.current_dir(terminal.files.path()).uid(NOBODY).gid(NOBODY);
        command = as_nobody;
    }
    let ended = Finished::of(command.output().await.unwrap()).expect(3);
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o700)).unwrap();
    let summary = ended.event("summary");
    assert_eq!(summary["sent"], json!(5));
    let mut failed: Vec<String> = summary["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|failure| {
            format!("{}: {}", failure["path"].as_str().unwrap(), failure["message"].as_str().unwrap())
        })
        .collect();
    failed.sort_unstable();
    assert_eq!(failed, ["parts/locked: permission denied", "parts/secret.txt: permission denied"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_while_it_is_read_is_not_stored_and_the_next_run_sends_it() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(1_000);
    let (growing, large) = (
        terminal.write("parts/zz/growing.txt", "x"),
        terminal.write("parts/zz/large.bin", vec![1; 64 * 1024 * 1024]),
    );
    let child = terminal.start(&UPLOAD);
    // Planned, and on its way.
    eventually_async("files arrive", async || terminal.tree().await.len() >= 10).await;
    let is_there = |tree: &std::collections::BTreeMap<String, Vec<String>>, name: &str| {
        tree.contains_key(&format!("/Model/parts/zz/{name}"))
    };
    std::fs::write(&growing, "x and more").unwrap();
    std::fs::write(&large, vec![2; 32 * 1024 * 1024]).unwrap();
    let before = terminal.tree().await;
    let ended = Finished::of(child.wait_with_output().await.unwrap());
    let summary = ended.event("summary");
    // In either order: a file is whole as it was, or absent and listed.
    for (name, old) in [("growing.txt", vec![b'x']), ("large.bin", vec![1; 64 * 1024 * 1024])] {
        let tree = terminal.tree().await;
        let listed = summary["failed"].to_string().contains(name);
        assert!(!is_there(&before, name) || is_there(&tree, name));
        match tree.get(&format!("/Model/parts/zz/{name}")) {
            Some(hashes) => {
                assert_eq!((hashes.as_slice(), listed), ([sha256(&old)].as_slice(), false), "{name}")
            }
            None => assert!(listed, "{name}: {summary}"),
        }
    }
    let update = [&UPLOAD[..], &["--update"]].concat();
    terminal.run(&update).await.expect(0);
    terminal.check_parts("/Model").await;
    assert_eq!(terminal.run(&update).await.expect(0).event("summary")["unchanged"], json!(1_002));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_under_the_state_ends_the_run_and_the_next_one_goes_on() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(1_500);
    for kib in [16, 200, 700] {
        let mut command = terminal.command(&[]);
        let program = command.as_std().get_program().to_owned();
        let environment: Vec<_> = command
            .as_std()
            .get_envs()
            .map(|(name, value)| (name.to_owned(), value.unwrap().to_owned()))
            .collect();
        command = tokio::process::Command::new("bash");
        // Files grow no larger than this; a write beyond fails, as on a full disk.
        let script = format!("trap '' XFSZ; ulimit -f {kib}; exec \"$0\" \"$@\"");
        command.arg("-c").arg(script).arg(program).args(UPLOAD).env_clear().envs(environment);
        command.current_dir(terminal.files.path());
        let ended = Finished::of(command.output().await.unwrap());
        assert!(ended.code == 1, "{kib} KiB: {}\n{}", ended.code, ended.stderr);
        assert!(ended.stderr.contains("cannot keep the state of this run"), "{kib} KiB: {}", ended.stderr);
        assert!(ended.stderr.contains("Free some space"), "{kib} KiB: {}", ended.stderr);
    }
    terminal.run(&UPLOAD).await.expect(0);
    terminal.check_parts("/Model").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_wrong_clock_arrive_once_and_are_known_again() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(5);
    terminal.write("parts/large.bin", vec![1; 9 * 1024 * 1024]);
    let day = Duration::from_secs(86_400);
    for (number, path) in files_below(&terminal.files.path().join("parts")).iter().enumerate() {
        let days = day * 20_000 * u32::try_from(number % 3).unwrap();
        let time = if number % 2 == 0 { UNIX_EPOCH - days / 2 } else { UNIX_EPOCH + days + 40_000 * day };
        std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(terminal.run(&UPLOAD).await.expect(0).event("summary")["sent"], json!(6));
    assert_eq!(terminal.run(&UPLOAD).await.expect(0).event("summary")["unchanged"], json!(6));
    terminal.check_parts("/Model").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_files_in_one_folder_are_planned() {
    let terminal = CommandLine::open().await;
    let parts = terminal.files.path().join("parts");
    std::fs::create_dir(&parts).unwrap();
    for number in 0..100_000 {
        std::fs::File::create(parts.join(format!("{number}.txt"))).unwrap();
    }
    let shown = terminal.run(&[&UPLOAD[..], &["--dry-run"]].concat()).await.expect(0);
    assert_eq!(shown.event("plan")["toSend"], json!(100_000));
    assert_eq!(shown.stdout.lines().count(), 100_001);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_cuts_every_connection_after_a_while_costs_time_alone() {
    let terminal = CommandLine::with(Options { has_data_proxy: true, ..Options::default() }, MANAGE).await;
    terminal.write_parts(1_500);
    terminal.write("parts/large.bin", vec![7; 24 * 1024 * 1024]);
    let mut child = terminal.start(&UPLOAD);
    let proxy = terminal.deployment.data_proxy.as_ref().unwrap();
    let mut cuts = tokio::time::interval(Duration::from_millis(250));
    let cutting = async {
        for _ in 0..16 {
            cuts.tick().await;
            proxy.cut();
            proxy.mend();
        }
    };
    let output = child.stdout.take().unwrap();
    let reading = tokio::spawn(async move {
        let mut text = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut { output }, &mut text).await.map(|_| text)
    });
    cutting.await;
    let ended = child.wait_with_output().await.unwrap();
    assert!(
        ended.status.success(),
        "{}\n{}",
        reading.await.unwrap().unwrap(),
        String::from_utf8_lossy(&ended.stderr)
    );
    terminal.check_parts("/Model").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_expires_ends_the_run_with_4_and_a_new_key_goes_on() {
    let mut terminal = CommandLine::open().await;
    terminal.write_parts(2_000);
    let short = terminal.user.issue(MANAGE, &["--expires-in", "2s"]).await;
    let lasting = std::mem::replace(&mut terminal.caller, short.caller);
    // More than two seconds hold, at the speed of any machine.
    let ended = loop {
        let ended = terminal.run(&UPLOAD).await;
        if ended.code != 0 {
            break ended;
        }
        terminal.write_parts(2_000 + terminal.tree_of(&lasting).await.len());
    };
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("The key in ATELIER_KEY is refused"), "{}", ended.stderr);
    terminal.caller = lasting;
    terminal.run(&UPLOAD).await.expect(0);
    terminal.check_parts("/Model").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_input_that_is_stopped_leaves_nothing_behind() {
    let terminal = CommandLine::open().await;
    let state = terminal.files.path().join("state");
    let mut command = terminal.command(&["upload", "-", "--name", "a.bin", "--to", "gearbox:/Model"]);
    command.env("XDG_STATE_HOME", &state).stdin(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut input, &[1; 100_000]).await.unwrap();
    let spooled = || state.join("atelier/input").exists() && !files_below(&state).is_empty();
    testkit::open_session::eventually("input is kept", spooled).await;
    let id = nix::unistd::Pid::from_raw(child.id().unwrap().try_into().unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    let ended = Finished::of(child.wait_with_output().await.unwrap()).expect(130);
    assert!(ended.stderr.contains("stopped"), "{}", ended.stderr);
    assert!(files_below(&state).is_empty(), "{:?}", files_below(&state));
    drop(input);
}
