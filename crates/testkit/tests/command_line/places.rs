//! Places in a tree that several objects share, and places that take no files.

use serde_json::json;

use crate::support::{CommandLine, Finished};

#[tokio::test(flavor = "multi_thread")]
async fn a_path_of_several_objects_is_refused_and_an_id_names_one() {
    let terminal = CommandLine::open().await;
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
async fn a_branch_that_does_not_exist_is_named() {
    let terminal = CommandLine::open().await;
    for command in [
        "tree gearbox--nowhere",
        "objects list gearbox--nowhere:/Model",
        "commit gearbox--nowhere -m Nothing",
        "upload . --to gearbox--nowhere",
        "sync gearbox--nowhere copy",
        "log gearbox--nowhere",
        "clone gearbox--nowhere",
        "branches rm gearbox nowhere",
        "branches create gearbox new --from nowhere",
        "merge gearbox nowhere",
        "diff gearbox main nowhere",
        "diff gearbox nowhere main",
    ] {
        let refused = terminal.run(&command.split(' ').collect::<Vec<_>>()).await.expect(6).stderr;
        assert!(refused.contains("gearbox has no branch \"nowhere\""), "{command}: {refused}");
        assert!(refused.contains("atelier branches list gearbox"), "{command}: {refused}");
    }
    let commit = "8f3c1a09be5d0c1e2f3a4b5c6d7e8f9001122334";
    let refused = terminal.run(&["merge", "gearbox", commit]).await.expect(6).stderr;
    assert!(refused.contains(&format!("gearbox has no commit \"{commit}\"")), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_short_hash_that_is_printed_names_a_commit() {
    let terminal = CommandLine::open().await;
    let commit = async |x: &str| {
        let edit = ["objects", "edit", "gearbox:/Model", "--set", &format!("x={x}")];
        terminal.run(&edit).await.expect(0);
        let printed = terminal.run(&["commit", "gearbox", "-m", x]).await.expect(0).stdout;
        printed.split(' ').next().unwrap().to_owned()
    };
    let (old, new) = (commit("1").await, commit("2").await);
    for command in [
        format!("diff gearbox {old} {new}"),
        format!("diff gearbox {} main", old.get(..7).unwrap()),
        format!("branches create gearbox early --from {old}"),
        format!("merge gearbox--early {new}"),
    ] {
        terminal.run(&command.split(' ').collect::<Vec<_>>()).await.expect(0);
    }
    // Of a branch beside that of the project.
    terminal.run(&["objects", "edit", "gearbox--early:/Model", "--set", "x=3"]).await.expect(0);
    let early = terminal.run(&["commit", "gearbox--early", "-m", "3"]).await.expect(0).stdout;
    let early = early.split(' ').next().unwrap();
    terminal.run(&["diff", "gearbox", early, "main"]).await.expect(0);
    // A branch comes before a commit.
    terminal.run(&["branches", "create", "gearbox", &new, "--from", &old]).await.expect(0);
    assert_eq!(terminal.run(&["diff", "gearbox", &old, &new]).await.expect(0).stdout, "");
    let refused = terminal.run(&["diff", "gearbox", "main", "fffffff"]).await.expect(6).stderr;
    assert!(refused.contains("gearbox has no branch or commit \"fffffff\""), "{refused}");
    assert!(refused.contains("atelier log gearbox"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_of_a_path_are_those_directly_below_it() {
    let terminal = CommandLine::open().await;
    terminal.write("parts/deep/a.bin", "\0a");
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    let names = async |place: &str| {
        let lines = terminal.run(&["objects", "list", place, "--json"]).await.expect(0).lines();
        let mut names: Vec<String> =
            lines.iter().map(|object| object["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("gearbox:/").await, ["Library", "Model"]);
    assert_eq!(names("gearbox:/Model").await, ["parts"]);
    assert_eq!(names("gearbox:/Model/parts").await, ["deep"]);
    assert_eq!(names("gearbox").await, ["Library", "Model", "a.bin", "deep", "parts"]);

    // A filter looks at any depth, and types count in any case.
    for (filter, expected) in [
        ("gearbox:/Model --type folder", "deep parts"),
        ("gearbox:/Model/parts --type FILE", "a.bin"),
        ("gearbox --type Package", "Library Model"),
        ("gearbox:/Model -q a.b", "a.bin"),
        ("gearbox:/Model -q ee --type folder", "deep"),
        ("gearbox:/Library --type folder", ""),
    ] {
        let list: Vec<&str> = ["objects", "list"].into_iter().chain(filter.split(' ')).collect();
        let lines = terminal.run(&[&list[..], &["--json"]].concat()).await.expect(0).lines();
        let mut found: Vec<&str> = lines.iter().map(|object| object["name"].as_str().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found.join(" "), expected, "{filter}");
        assert!(lines.iter().all(|object| object["data"].is_object()), "{lines:?}");
        let shown = terminal.run(&list).await.expect(0);
        assert_eq!(shown.stdout.lines().count().saturating_sub(1), found.len(), "{}", shown.stdout);
    }
    let nothing = terminal.run(&["objects", "list", "gearbox:/Model", "--type", "Part"]).await.expect(0);
    let words = "gearbox has no object of type \"Part\" below /Model. Its types: File, Folder.\n";
    assert_eq!((nothing.stdout.as_str(), nothing.stderr.as_str()), ("", words));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_takes_no_files() {
    let terminal = CommandLine::open().await;
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
    let terminal = CommandLine::open().await;
    terminal.write("a.bin", "\0a");
    terminal.write("parts/b.bin", "\0b");
    let upload =
        ["upload", "a.bin", "./a.bin", "parts", "parts/../parts", "--to", "gearbox:/Model", "--json"];
    let summary = terminal.run(&upload).await.expect(0).event("summary");
    assert_eq!(summary["sent"], json!(2));
    let tree = terminal.tree().await;
    assert_eq!((tree.len(), tree["/Model/a.bin"].len(), tree["/Model/parts/b.bin"].len()), (2, 1, 1));
    // A path that leads nowhere ends the command at once, also beside others and as a pattern.
    for paths in [&["nothere"][..], &["a.bin", "nothere"], &["*.stp"], &["a.bin/nothere"]] {
        let upload = [&["upload", "--to", "nowhere:/Model"], paths].concat();
        let failed = terminal.run(&upload).await.expect(6).stderr;
        let last = paths.last().unwrap();
        assert_eq!(failed, format!("error: there is no file or folder {last}\n"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_variable_is_named_and_a_sign_in_beside_it_warns() {
    let terminal = CommandLine::open().await;
    let mut refused = terminal.command(&["whoami"]);
    refused.env("ATELIER_KEY", "svc_ak_live_wrong");
    let refused = Finished::of(refused.output().await.unwrap()).expect(4).stderr;
    assert!(refused.contains("ATELIER_KEY is refused") && !refused.contains("atelier login"), "{refused}");
    let signed_in = terminal.run_with_input(&["login"], terminal.caller.credential()).await.expect(0);
    assert!(signed_in.stderr.contains("ATELIER_KEY is set"), "{}", signed_in.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_variable_counts_as_unset() {
    let terminal = CommandLine::own().await;
    let mut command = terminal.command(&["whoami", "--url", &terminal.deployment.control_urls[0]]);
    command.env("ATELIER_URL", "").env("ATELIER_PROFILE", "");
    Finished::of(command.output().await.unwrap()).expect(0);
    let mut unknown = terminal.command(&["whoami"]);
    unknown.env("ATELIER_URL", "");
    let unknown = Finished::of(unknown.output().await.unwrap()).expect(4).stderr;
    assert!(unknown.contains("no service is known for profile \"default\""), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_cannot_be_written_is_told_with_its_folder() {
    let terminal = CommandLine::open().await;
    terminal.write("a.bin", "\0a");
    // A file in place of the folder is refused to root, too.
    let mut command = terminal.command(&["upload", "a.bin", "--to", "gearbox:/Model"]);
    command.env("XDG_STATE_HOME", terminal.files.path().join("a.bin"));
    let failed = Finished::of(command.output().await.unwrap()).expect(1).stderr;
    assert!(
        failed.contains("cannot keep the state of this run in ") && failed.contains("a.bin/"),
        "{failed}"
    );
    assert!(failed.contains("XDG_STATE_HOME") && !failed.contains("os error"), "{failed}");
    assert!(!failed.contains("Free some space"), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_under_standard_output_is_reported() {
    let terminal = CommandLine::open().await;
    for arguments in [&["completions", "bash"][..], &["--help"], &["--version"]] {
        let mut command = terminal.command(arguments);
        command.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
        let ended = Finished::of(command.spawn().unwrap().wait_with_output().await.unwrap());
        assert!(ended.stderr.contains("cannot write to standard output"), "{arguments:?}: {}", ended.stderr);
        assert_eq!(ended.code, 1, "{arguments:?}");
    }
}
