//! Places in a tree that several objects share, and places that take no files.

use serde_json::json;

use crate::support::{Finished, Terminal};

#[tokio::test(flavor = "multi_thread")]
async fn a_path_of_several_objects_is_refused_and_an_id_names_one() {
    let terminal = Terminal::open().await;
    terminal.write("a.bin", "\0a");
    terminal.run(&["upload", "a.bin", "--to", "gearbox:/Model"]).await.expect(0);
    let first = terminal.objects().await["/Model/a.bin"].clone();
    terminal.write("b.bin", "\0b");
    terminal.run(&["upload", "b.bin", "--to", "gearbox:/Model"]).await.expect(0);
    let second = terminal.objects().await["/Model/b.bin"].clone();
    terminal.run(&["objects", "edit", "gearbox:/Model/b.bin", "--rename", "a.bin"]).await.expect(0);

    for command in [
        "objects show gearbox:/Model/a.bin",
        "objects edit gearbox:/Model/a.bin --set x=1",
        "objects rm gearbox:/Model/a.bin",
        "objects edit gearbox:/Library --move-to /Model/a.bin",
        "download gearbox:/Model/a.bin",
        "tree gearbox:/Model/a.bin",
        "exec gearbox:/Model/a.bin",
        "upload b.bin --to gearbox:/Model/a.bin",
        "upload b.bin --to gearbox:/Model/a.bin/new",
    ] {
        let refused = terminal.run(&command.split(' ').collect::<Vec<_>>()).await.expect(2).stderr;
        assert!(refused.contains("\"/Model/a.bin\" may be any of"), "{command}: {refused}");
        assert!(refused.contains(&first) && refused.contains(&second), "{command}: {refused}");
    }
    for id in [&first, &second] {
        let shown = terminal.run(&["objects", "show", &format!("gearbox:/{id}"), "--json"]).await.expect(0);
        assert_eq!(shown.lines()[0]["id"], json!(id));
    }
    terminal.run(&["objects", "rm", &format!("gearbox:/Model/{second}")]).await.expect(0);
    let left = terminal.run(&["objects", "show", "gearbox:/Model/a.bin", "--json"]).await.expect(0);
    assert_eq!(left.lines()[0]["id"], json!(first));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_takes_no_files() {
    let terminal = Terminal::open().await;
    terminal.write("a.bin", "\0a");
    terminal.run(&["upload", "a.bin", "--to", "gearbox:/Model"]).await.expect(0);
    let before = terminal.tree().await;
    for place in ["gearbox:/Model/a.bin", "gearbox:/Model/a.bin/new"] {
        let refused = terminal.run(&["upload", "a.bin", "--to", place]).await.expect(2).stderr;
        assert!(refused.contains("\"a.bin\" is a file, not a folder"), "{refused}");
    }
    assert_eq!(terminal.tree().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_is_named_twice_is_sent_once() {
    let terminal = Terminal::open().await;
    terminal.write("a.bin", "\0a");
    terminal.write("parts/b.bin", "\0b");
    let upload =
        ["upload", "a.bin", "./a.bin", "parts", "parts/../parts", "--to", "gearbox:/Model", "--json"];
    let summary = terminal.run(&upload).await.expect(0).event("summary");
    assert_eq!(summary["sent"], json!(2));
    let tree = terminal.tree().await;
    assert_eq!((tree.len(), tree["/Model/a.bin"].len(), tree["/Model/parts/b.bin"].len()), (2, 1, 1));
    // A file is missing: nothing at all could be read.
    let failed = terminal.run(&["upload", "nothere", "--to", "gearbox:/Model"]).await.expect(1);
    assert!(failed.stderr.contains("there is no such file"), "{}", failed.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_variable_is_named_and_a_sign_in_beside_it_warns() {
    let terminal = Terminal::open().await;
    let mut refused = terminal.command(&["whoami"]);
    refused.env("ATELIER_KEY", "svc_ak_live_wrong");
    let refused = Finished::of(refused.output().await.unwrap()).expect(4).stderr;
    assert!(refused.contains("ATELIER_KEY is refused") && !refused.contains("atelier login"), "{refused}");
    let signed_in = terminal.run_with_input(&["login"], terminal.caller.credential()).await.expect(0);
    assert!(signed_in.stderr.contains("ATELIER_KEY is set"), "{}", signed_in.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_under_standard_output_is_reported() {
    let terminal = Terminal::open().await;
    for arguments in [&["completions", "bash"][..], &["--help"], &["--version"]] {
        let mut command = terminal.command(arguments);
        command.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
        let ended = Finished::of(command.spawn().unwrap().wait_with_output().await.unwrap());
        assert!(ended.stderr.contains("cannot write to standard output"), "{arguments:?}: {}", ended.stderr);
        assert_eq!(ended.code, 1, "{arguments:?}");
    }
}
