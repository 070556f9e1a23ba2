//! Downloads over files that somebody has edited on this machine.

use serde_json::json;

use crate::support::CommandLine;

const SYNC: [&str; 4] = ["sync", "gearbox:/Model/parts", "copy", "--json"];

#[tokio::test(flavor = "multi_thread")]
async fn files_that_were_edited_here_are_kept_until_force_overwrites_them() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(4);
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    // It was there before the first download.
    terminal.write("copy/3/part-3.txt", "mine");
    let first = terminal.run(&SYNC).await.expect(3);
    let kept = json!(["copy/3/part-3.txt"]);
    assert_eq!((&first.event("summary")["downloaded"], &first.event("summary")["kept"]), (&json!(3), &kept));

    let edited = terminal.write("copy/0/part-0.txt", "edited here");
    let dry = terminal.run(&["sync", "gearbox:/Model/parts", "copy", "--dry-run"]).await.expect(3);
    assert!(dry.stdout.contains("would keep copy/0/part-0.txt"), "{}", dry.stdout);
    let second = terminal.run(&SYNC[..3]).await.expect(3);
    assert!(second.stderr.contains("kept copy/0/part-0.txt: it was edited here"), "{}", second.stderr);
    assert!(second.stderr.contains("--force"), "{}", second.stderr);
    assert_eq!(std::fs::read(&edited).unwrap(), b"edited here");

    let forced = terminal.run(&[&SYNC[..], &["--force"]].concat()).await.expect(0).event("summary");
    assert_eq!((&forced["downloaded"], &forced["unchanged"]), (&json!(2), &json!(2)));
    assert_ne!(std::fs::read(&edited).unwrap(), b"edited here");
    terminal.run(&SYNC).await.expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changed_in_the_project_alone_is_updated() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(3);
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    terminal.run(&SYNC).await.expect(0);
    terminal.write("parts/0/part-0.txt", "a new version");
    terminal.write("parts/1/part-1.txt", "a new version");
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model", "--update"]).await.expect(0);
    terminal.write("copy/1/part-1.txt", "edited here");
    let summary = terminal.run(&SYNC).await.expect(3).event("summary");
    assert_eq!((&summary["downloaded"], &summary["unchanged"]), (&json!(1), &json!(1)));
    let read = |path: &str| std::fs::read_to_string(terminal.files.path().join(path)).unwrap();
    assert_eq!(read("copy/0/part-0.txt"), "a new version");
    assert_eq!(read("copy/1/part-1.txt"), "edited here");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_written_is_listed_with_its_reason() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(3);
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    // A file where a folder is to be.
    terminal.write("copy/1", "in the way");
    let ended = terminal.run(&SYNC).await.expect(3);
    let line = ended.lines().into_iter().find(|line| line["status"] == "failed").unwrap();
    assert_eq!(line["path"], json!("copy/1/part-1.txt"));
    assert!(line["message"].as_str().is_some_and(|message| !message.is_empty()), "{line}");
    assert_eq!(ended.event("summary")["downloaded"], json!(2));
}
