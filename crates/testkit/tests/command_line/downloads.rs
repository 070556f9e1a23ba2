//! Downloads: a folder that was uploaded comes back byte for byte, and only what changed.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use testkit::deployment::Options;
use testkit::open_session::eventually;
use testkit::seed::MANAGE;
use testkit::small_disk::SmallDisk;
use tokio::io::AsyncReadExt;

use crate::support::{CommandLine, Finished, files_below};

const MIB: usize = 1024 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn a_synced_folder_has_the_same_files_and_only_changes_are_fetched() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(30);
    terminal.write("parts/large.bin", vec![3; 9 * MIB]);
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    let sync = ["sync", "gearbox:/Model/parts", "copy", "--json"];
    let first = terminal.run(&sync).await.expect(0).event("summary");
    assert_eq!((&first["downloaded"], &first["unchanged"]), (&json!(31), &json!(0)));
    let (parts, copy) = (terminal.files.path().join("parts"), terminal.files.path().join("copy"));
    assert_eq!(files_below(&copy).len(), 31);
    for path in files_below(&parts) {
        let copied = copy.join(path.strip_prefix(&parts).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(copied).unwrap(), "{}", path.display());
    }

    std::fs::write(copy.join("0/part-0.txt"), "damaged").unwrap();
    std::fs::remove_file(copy.join("1/part-1.txt")).unwrap();
    std::fs::write(copy.join("own.txt"), "not of the project").unwrap();
    let forced = [&sync[..], &["--force"]].concat();
    let second = terminal.run(&forced).await.expect(0).event("summary");
    assert_eq!((&second["downloaded"], &second["unchanged"]), (&json!(2), &json!(29)));
    assert_eq!(
        std::fs::read(copy.join("0/part-0.txt")).unwrap(),
        std::fs::read(parts.join("0/part-0.txt")).unwrap()
    );
    assert!(copy.join("own.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_a_killed_run_left_is_continued_and_a_damaged_one_is_refused() {
    let terminal = CommandLine::open().await;
    let bytes = vec![5; 3 * MIB];
    terminal.write("one.bin", &bytes);
    terminal.run(&["upload", "one.bin", "--to", "gearbox:/Model"]).await.expect(0);
    let download = ["download", "gearbox:/Model/one.bin", "-o", "back.bin", "--force", "--json"];
    // A file of the user's own, of a name that other programs give to parts.
    terminal.write("back.bin.part", "mine");
    let whole = terminal.run(&download).await.expect(0).lines().remove(0);
    let text = |field: &str| whole[field].as_str().unwrap();
    let hash: String = text("sha256").chars().take(16).collect();
    let part = format!(".atelier-{hash}-{}.part", text("objectId"));

    terminal.write(&part, &bytes[..1_000_000]);
    terminal.run(&download).await.expect(0);
    assert_eq!(std::fs::read(terminal.files.path().join("back.bin")).unwrap(), bytes);
    terminal.write(&part, vec![6; 1_000_000]);
    let damaged = terminal.run(&download).await.expect(1);
    assert!(damaged.stderr.contains("damaged"), "{}", damaged.stderr);
    terminal.run(&download).await.expect(0);
    assert_eq!(std::fs::read(terminal.files.path().join("back.bin.part")).unwrap(), b"mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_ends_a_sync_and_the_next_one_goes_on() {
    let terminal = CommandLine::open().await;
    let copy = terminal.files.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    let Some(disk) = SmallDisk::mount(&copy, 2 * MIB) else { return };
    terminal.write("parts/large.bin", vec![7; 3 * MIB]);
    terminal.write("parts/small.bin", "small");
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    let sync = ["sync", "gearbox:/Model/parts", "copy"];
    let full = terminal.run(&sync).await.expect(1);
    assert!(full.stderr.contains("cannot write copy/large.bin: the disk is full"), "{}", full.stderr);
    assert!(full.stderr.contains("Free some space"), "{}", full.stderr);
    assert!(full.stderr.contains("run the same command to go on"), "{}", full.stderr);
    assert!(!copy.join("large.bin").exists());

    disk.resize(8 * MIB);
    terminal.run(&sync).await.expect(0);
    assert_eq!(std::fs::read(copy.join("large.bin")).unwrap(), vec![7; 3 * MIB]);
    assert_eq!(files_below(&copy).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_a_sync_and_the_next_one_goes_on() {
    let terminal = CommandLine::with(Options { has_data_proxy: true, ..Options::default() }, MANAGE).await;
    terminal.write("one.bin", vec![8; MIB]);
    terminal.run(&["upload", "one.bin", "--to", "gearbox:/Model"]).await.expect(0);
    let proxy = terminal.deployment.data_proxy.as_ref().unwrap();
    proxy.stall();
    let sync = ["sync", "gearbox:/Model", "copy"];
    let child = terminal.start(&sync);
    let copy = terminal.files.path().join("copy");
    eventually("a part is there", || copy.exists() && !files_below(&copy).is_empty()).await;
    kill(Pid::from_raw(child.id().unwrap().try_into().unwrap()), Signal::SIGINT).unwrap();
    let stopped = Finished::of(child.wait_with_output().await.unwrap()).expect(130);
    assert!(stopped.stderr.contains("0 of 1 files are here; run the same command"), "{}", stopped.stderr);

    proxy.mend();
    terminal.run(&sync).await.expect(0);
    assert_eq!(files_below(&copy), [copy.join("one.bin")]);
    assert_eq!(std::fs::read(copy.join("one.bin")).unwrap(), vec![8; MIB]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_kept_up_to_255_bytes_and_a_longer_one_keeps_its_extension() {
    let terminal = CommandLine::open().await;
    let longest = format!("{}.txt", "x".repeat(251));
    terminal.write(&format!("parts/{longest}"), "\0kept");
    terminal.write("parts/short.d/cut.txt", "\0cut");
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    // Letters of two bytes; no folder of this machine can have the name.
    let wide = format!("{}.d", "\u{44f}".repeat(200));
    terminal.run(&["objects", "edit", "gearbox:/Model/parts/short.d", "--rename", &wide]).await.expect(0);
    let sync = ["sync", "gearbox:/Model/parts", "copy", "--json"];
    let summary = terminal.run(&sync).await.expect(0).event("summary");
    let copy = terminal.files.path().join("copy");
    assert_eq!(std::fs::read(copy.join(&longest)).unwrap(), b"\0kept");
    let cut = format!("copy/{}.d", "\u{44f}".repeat(126));
    let renamed = &summary["renamed"];
    assert_eq!((&renamed[0]["name"], &renamed[0]["path"]), (&json!(wide), &json!(cut)), "{renamed}");
    assert_eq!((renamed.as_array().unwrap().len(), files_below(&copy).len()), (1, 2));
    let told = terminal.run(&sync[..3]).await.expect(0).stderr;
    assert!(told.contains("is not possible here: see copy/"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_in_which_all_files_failed_is_a_failure() {
    let terminal = CommandLine::open().await;
    terminal.write("parts/a.bin", "\0a");
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    terminal.write("copy/parts", "in the way");
    let failed = terminal.run(&["sync", "gearbox:/Model", "copy", "--json"]).await.expect(3);
    assert_eq!(failed.event("summary")["downloaded"], json!(0));
    let error = failed.lines().pop().unwrap()["error"].clone();
    assert_eq!(error["message"], "no file was downloaded: 1 failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_and_an_empty_folder_are_synced_too() {
    let terminal = CommandLine::open().await;
    terminal.write("parts/a.bin", "\0a");
    std::fs::create_dir_all(terminal.files.path().join("parts/empty/below")).unwrap();
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    let file = ["sync", "gearbox:/Model/parts/a.bin", "one", "--json"];
    assert_eq!(terminal.run(&file).await.expect(0).event("summary")["downloaded"], json!(1));
    assert_eq!(terminal.run(&file).await.expect(0).event("summary")["unchanged"], json!(1));
    let one = terminal.files.path().join("one");
    assert_eq!(files_below(&one), [one.join("a.bin")]);

    terminal.write("copy/empty", "in the way");
    let failed = terminal.run(&["sync", "gearbox:/Model/parts", "copy", "--json"]).await.expect(3);
    assert_eq!(failed.event("summary")["failed"][0]["path"], json!("copy/empty/below"));
    std::fs::remove_file(terminal.files.path().join("copy/empty")).unwrap();
    terminal.run(&["sync", "gearbox:/Model/parts", "copy"]).await.expect(0);
    assert!(terminal.files.path().join("copy/empty/below").is_dir());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_within_the_target_is_not_followed() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(4);
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    terminal.write("outside/deep/kept.txt", "kept");
    std::fs::create_dir(terminal.files.path().join("copy")).unwrap();
    std::os::unix::fs::symlink("../outside", terminal.files.path().join("copy/1")).unwrap();
    let outside = terminal.files.path().join("outside");

    let dry = terminal.run(&["sync", "gearbox:/Model/parts", "copy", "--dry-run"]).await.expect(3);
    assert!(dry.stdout.contains("would fail copy/1/part-1.txt"), "{}", dry.stdout);
    let ended = terminal.run(&["sync", "gearbox:/Model/parts", "copy", "--force", "--json"]).await.expect(3);
    let summary = ended.event("summary");
    assert_eq!(
        (&summary["downloaded"], &summary["failed"][0]["path"]),
        (&json!(3), &json!("copy/1/part-1.txt"))
    );
    let reason = summary["failed"][0]["message"].as_str().unwrap();
    assert!(reason.contains("copy/1 is a symbolic link"), "{reason}");
    assert_eq!(files_below(&outside), [outside.join("deep/kept.txt")]);

    // The target itself is what its user has named.
    std::os::unix::fs::symlink("outside", terminal.files.path().join("target")).unwrap();
    terminal.run(&["sync", "gearbox:/Model/parts", "target"]).await.expect(0);
    assert_eq!(files_below(&outside).len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_overwrites_nothing_unless_it_is_forced() {
    let terminal = CommandLine::open().await;
    terminal.write("one.bin", "\0of the project");
    terminal.run(&["upload", "one.bin", "--to", "gearbox:/Model"]).await.expect(0);
    let mine = terminal.write("one.bin", "mine");
    let download = ["download", "gearbox:/Model/one.bin", "-o", "one.bin"];
    for download in [&download[..2], &download] {
        let refused = terminal.run(download).await.expect(1).stderr;
        assert!(refused.contains("one.bin is there already") && refused.contains("--force"), "{refused}");
        assert_eq!(std::fs::read(&mine).unwrap(), b"mine");
        let forced = [download, &["--force"]].concat();
        terminal.run(&forced).await.expect(0);
        assert_eq!(std::fs::read(&mine).unwrap(), b"\0of the project");
        std::fs::write(&mine, "mine").unwrap();
    }
    let lost = ["download", "gearbox:/Model/one.bin", "-o", "sub dir/x.bin"];
    let lost = terminal.run(&lost).await.expect(1).stderr;
    assert!(lost.contains("there is no folder sub dir") && lost.contains("mkdir -p 'sub dir'"), "{lost}");
    let folder = ["download", "gearbox:/Model/one.bin", "-o", ".", "--force"];
    assert!(terminal.run(&folder).await.expect(1).stderr.contains("is not a file"));
    assert_eq!(files_below(terminal.files.path()), [mine]);
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_output_gets_the_bytes_alone() {
    let terminal = CommandLine::open().await;
    let bytes: Vec<u8> = (0..2 * MIB).map(|n| u8::try_from(n % 251).unwrap()).collect();
    terminal.write("one.bin", &bytes);
    terminal.run(&["upload", "one.bin", "--to", "gearbox:/Model"]).await.expect(0);
    std::fs::remove_file(terminal.files.path().join("one.bin")).unwrap();
    let download = ["download", "gearbox:/Model/one.bin", "-o", "-", "--json"];
    let ended = terminal.command(&download).output().await.unwrap();
    assert!(ended.status.success() && ended.stdout == bytes, "{:?}", ended.status);

    let mut child = terminal.start(&download);
    // The reader leaves at once.
    drop(child.stdout.take());
    Finished::of(child.wait_with_output().await.unwrap()).expect(0);
    assert!(files_below(terminal.files.path()).is_empty());
    assert!(!terminal.home().join(".local/state/atelier/output").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_output_gets_each_byte_once_over_a_broken_connection() {
    let terminal = CommandLine::with(Options { has_data_proxy: true, ..Options::default() }, MANAGE).await;
    let bytes: Vec<u8> = (0..4 * MIB).map(|n| u8::try_from(n % 251).unwrap()).collect();
    terminal.write("one.bin", &bytes);
    terminal.run(&["upload", "one.bin", "--to", "gearbox:/Model"]).await.expect(0);
    let download = ["download", "gearbox:/Model/one.bin", "-o", "-", "--bwlimit", "4M"];
    let mut child = terminal.start(&download);
    let (mut output, mut received) = (child.stdout.take().unwrap(), vec![0; MIB]);
    // The first bytes are there before the file is whole.
    output.read_exact(&mut received).await.unwrap();
    let proxy = terminal.deployment.data_proxy.as_ref().unwrap();
    proxy.cut();
    proxy.mend();
    output.read_to_end(&mut received).await.unwrap();
    assert!(received == bytes, "{} of {} bytes", received.len(), bytes.len());
    Finished::of(child.wait_with_output().await.unwrap()).expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_name_that_a_program_takes_for_its_own_is_written() {
    let terminal = CommandLine::open().await;
    let folders = [".vscode", ".VSCode", ".hg", ".idea."];
    for number in 0..folders.len() {
        terminal.write(&format!("parts/{number}/config"), format!("\0{number}"));
    }
    let files = [".envrc", ".EnvRC", "HEAD", "head", ".env"];
    for name in files {
        terminal.write(&format!("parts/files/{name}"), format!("\0{name}"));
    }
    // A repository is never sent; what Git takes for one elsewhere fails.
    terminal.write("parts/.git/config", "[core]");
    terminal.write("parts/GIT~1/config", "[core]");
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
    let failed = terminal.run(&upload).await.expect(3).event("summary")["failed"].clone();
    assert_eq!((failed.as_array().unwrap().len(), &failed[0]["path"]), (1, &json!("parts/GIT~1")));
    for (number, name) in folders.iter().enumerate() {
        let place = format!("gearbox:/Model/parts/{number}");
        terminal.run(&["objects", "edit", &place, "--rename", name]).await.expect(0);
    }

    let synced = terminal.run(&["sync", "gearbox:/Model/parts", "copy", "--json"]).await.expect(0);
    let renamed = synced.event("summary")["renamed"].as_array().unwrap().len();
    assert_eq!(renamed, folders.len() + files.len());
    let copy = terminal.files.path().join("copy");
    let written = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let marked = |names: &[&str]| names.iter().map(|name| format!("_{name}")).collect();
    let expected: std::collections::BTreeSet<String> = marked(&folders);
    assert_eq!(written(&copy), expected.into_iter().chain(["files".to_owned()]).collect());
    assert_eq!(written(&copy.join("files")), marked(&files));
    let told = terminal.run(&["sync", "gearbox:/Model/parts", "copy"]).await.expect(0).stderr;
    assert!(told.contains("the name \".hg\" is not possible here: see copy/_.hg"), "{told}");

    terminal.run(&["download", "gearbox:/Model/parts/files/.envrc"]).await.expect(0);
    let own = terminal.files.path();
    assert!(own.join("_.envrc").exists() && !own.join(".envrc").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_earlier_runs_are_deleted_on_demand_and_no_others() {
    let terminal = CommandLine::open().await;
    for name in ["a.bin", "deep/b.bin", "deep/er/c.bin", "deep/d.bin"] {
        terminal.write(&format!("parts/{name}"), format!("\0{name}"));
    }
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    let sync = ["sync", "gearbox:/Model/parts", "copy", "--json"];
    terminal.run(&sync).await.expect(0);
    terminal.write("copy/mine.txt", "mine");
    let edited = terminal.write("copy/deep/d.bin", "edited here");
    let removed = ["objects", "rm", "gearbox:/Model/parts/deep", "--yes"];
    terminal.run(&removed).await.expect(0);

    let copy = terminal.files.path().join("copy");
    assert_eq!(terminal.run(&sync).await.expect(0).event("summary")["deleted"], json!(0));
    assert_eq!(files_below(&copy).len(), 5);
    let delete = [&sync[..], &["--delete"]].concat();
    let dry = terminal.run(&[&delete[..3], &["--delete", "--dry-run"]].concat()).await.expect(3).stdout;
    assert!(dry.contains("would delete") && dry.contains("would keep"), "{dry}");
    assert_eq!(files_below(&copy).len(), 5);

    // Another folder of work, and another way to name the folder.
    let own = copy.to_str().unwrap().to_owned();
    let mut elsewhere = terminal.command(&["sync", "gearbox:/Model/parts", &own, "--json", "--delete"]);
    elsewhere.current_dir("/");
    let ended = Finished::of(elsewhere.output().await.unwrap()).expect(3);
    let summary = ended.event("summary");
    assert_eq!((&summary["deleted"], &summary["kept"]), (&json!(2), &json!([edited])));
    let mut left = files_below(&copy);
    left.sort();
    assert_eq!(left, [copy.join("a.bin"), edited, copy.join("mine.txt")]);
    assert!(!copy.join("deep/er").exists());

    let forced = terminal.run(&[&delete[..], &["--force"]].concat()).await.expect(0).event("summary");
    assert_eq!(forced["deleted"], json!(1));
    let mut left = files_below(&copy);
    left.sort();
    assert_eq!(left, [copy.join("a.bin"), copy.join("mine.txt")]);
    assert!(!copy.join("deep").exists());
}
