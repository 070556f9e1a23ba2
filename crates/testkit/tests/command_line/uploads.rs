//! Uploads of folders that nothing disturbs: what arrives, what is left out, what is said.

use std::os::unix::ffi::OsStringExt;

use serde_json::json;

use crate::support::{CommandLine, Finished, sha256};

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_arrives_with_its_structure_and_a_second_run_sends_nothing() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(40);
    std::fs::create_dir_all(terminal.files.path().join("parts/empty/below")).unwrap();
    let upload = ["upload", "parts", "--to", "gearbox:/Model/Imports", "--json"];

    let first = terminal.run(&upload).await.expect(0);
    let summary = first.event("summary");
    assert_eq!(
        (&summary["sent"], &summary["unchanged"], &summary["failedCount"]),
        (&json!(40), &json!(0), &json!(0))
    );
    terminal.check_parts("/Model/Imports").await;
    let names = terminal.run(&["tree", "gearbox:/Model/Imports/parts", "--json"]).await.expect(0).lines();
    assert!(names.iter().any(|node| node["path"] == "/empty/below" && node["type"] == "Folder"), "{names:?}");

    let second = terminal.run(&upload).await.expect(0).event("summary");
    assert_eq!((&second["sent"], &second["unchanged"]), (&json!(0), &json!(40)));

    let changed = terminal.write("parts/0/part-0.txt", "changed");
    let third = terminal.run(&upload).await.expect(3).event("summary");
    assert_eq!((&third["sent"], third["different"].as_array().unwrap().len()), (&json!(0), 1));
    assert!(changed.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_files_each_have_an_object_and_deleted_ones_are_sent_again() {
    let terminal = CommandLine::open().await;
    for name in ["a.txt", "b.txt", "c/a.txt"] {
        terminal.write(&format!("parts/{name}"), "the same");
    }
    let upload = ["upload", "parts", "--to", "gearbox:/Library", "--json"];
    assert_eq!(terminal.run(&upload).await.expect(0).event("summary")["sent"], json!(3));
    terminal.check_parts("/Library").await;

    let nodes = terminal.run(&["tree", "gearbox", "--json"]).await.expect(0).lines();
    let object =
        nodes.iter().find(|node| node["path"] == "/Library/parts/a.txt").unwrap()["id"].as_str().unwrap();
    let path = format!("/api/v2/projects/{}/objects/{object}", terminal.project);
    terminal.caller.delete(&path).await.expect(200);
    assert_eq!(terminal.run(&upload).await.expect(0).event("summary")["sent"], json!(1));
    terminal.check_parts("/Library").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_sent_is_listed_and_the_rest_arrives() {
    let terminal = CommandLine::open().await;
    terminal.write("parts/good.txt", "good");
    let parts = terminal.files.path().join("parts");
    std::os::unix::fs::symlink(&parts, parts.join("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", parts.join("dangling")).unwrap();
    let bad = std::ffi::OsString::from_vec(vec![0xff, 0xfe]);
    std::fs::write(parts.join(bad), "bad name").unwrap();

    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
    let summary = terminal.run(&upload).await.expect(3).event("summary");
    assert_eq!((&summary["sent"], &summary["skippedLinks"]), (&json!(1), &json!(2)));
    let reasons: Vec<&str> = summary["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|failure| failure["message"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["its name is not a name that a project takes; rename it"]);

    let following = ["upload", "parts", "--to", "gearbox:/Model", "--follow-links", "--json"];
    let summary = terminal.run(&following).await.expect(3).event("summary");
    assert_eq!(
        (&summary["sent"], &summary["unchanged"], &summary["failedCount"]),
        (&json!(0), &json!(1), &json!(3))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ignore_files_and_globs_leave_files_out() {
    let terminal = CommandLine::open().await;
    for name in ["keep.txt", "skip.log", "build/out.o", "deep/keep.txt", "deep/skip.bak", ".hidden"] {
        terminal.write(&format!("parts/{name}"), name);
    }
    // A stopped download has left it.
    terminal.write("parts/deep/.atelier-0123456789abcdef-0198c5f0-0000-7000-8000-000000000000.part", "part");
    terminal.write("parts/.gitignore", "*.log\nbuild/\n");
    // A work tree of Git.
    std::fs::create_dir(terminal.files.path().join("parts/.git")).unwrap();
    let upload = ["upload", "parts/", "--to", "gearbox:/Model", "--exclude", "*.bak"];
    let shown = terminal.run(&[&upload[..], &["--dry-run"]].concat()).await.expect(0);
    let mut planned: Vec<&str> =
        shown.stdout.lines().filter_map(|line| line.strip_prefix("would send parts/")).collect();
    planned.sort_unstable();
    assert_eq!(planned, [".gitignore  13 B", ".hidden  7 B", "deep/keep.txt  13 B", "keep.txt  8 B"]);
    assert!(shown.stderr.contains("3 are left out (.gitignore, --exclude)."), "{}", shown.stderr);
    assert!(terminal.tree().await.is_empty());

    terminal.run(&upload).await.expect(0);
    let tree = terminal.tree().await;
    let paths: Vec<&str> = tree.keys().map(String::as_str).collect();
    assert_eq!(paths, ["/Model/.gitignore", "/Model/.hidden", "/Model/deep/keep.txt", "/Model/keep.txt"]);
    // In quotes, no shell has expanded it.
    let pattern = terminal.run(&["upload", "parts/*p.*", "--to", "gearbox:/Quoted"]).await.expect(0);
    assert!(pattern.stderr.contains("Done in"), "{}", pattern.stderr);
    let tree = terminal.tree().await;
    let quoted: Vec<&str> = tree.keys().filter_map(|path| path.strip_prefix("/Quoted/")).collect();
    assert_eq!(quoted, ["keep.txt", "skip.log"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn ignore_files_count_within_a_work_tree_alone_and_what_they_leave_out_is_counted() {
    let terminal = CommandLine::open().await;
    // The folders of tests are in a work tree, that of this repository.
    let outside = tempfile::tempdir_in("/tmp").unwrap();
    let write = |path: &str, text: &str| {
        let path = outside.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let run = async |arguments: &[&str]| {
        let mut command = terminal.command(arguments);
        let ended = command.current_dir(outside.path()).output().await.unwrap();
        Finished::of(ended).expect(0)
    };
    for name in [".gitignore", ".ignore", "parts/.ignore"] {
        write(name, "*.step\n*.log\n");
    }
    for name in ["a.step", "b.log", "deep/c.step", "deep/d.txt", "repository/.git/HEAD", "repository/e.log"] {
        write(&format!("parts/{name}"), &format!("\0{name}"));
    }
    write("parts/repository/.gitignore", "*.log\n");
    let upload = ["upload", "parts/", "--to", "gearbox:/Model", "--dry-run", "--json"];
    let plan = async |more: &[&str]| {
        let ended = run(&[&upload[..], more].concat()).await;
        let plan = ended.event("plan");
        let mut names: Vec<String> = ended
            .lines()
            .iter()
            .filter_map(|line| Some(line["path"].as_str()?.strip_prefix("parts/")?.to_owned()))
            .collect();
        names.sort_unstable();
        (names.join(" "), plan["leftOut"].clone())
    };
    let all = ".ignore a.step b.log deep/c.step deep/d.txt";
    // Neither the files of a folder above nor other ignore files count; a repository below has its own.
    assert_eq!(plan(&[]).await, (format!("{all} repository/.gitignore"), json!(1)));
    let whole = format!("{all} repository/.gitignore repository/e.log");
    assert_eq!(plan(&["--no-ignore"]).await, (whole.clone(), json!(0)));
    let of_steps = plan(&["--include", "*.step", "--exclude", "deep"]).await;
    assert_eq!(of_steps, ("a.step".to_owned(), json!(6)));

    write("parts/.gitignore", "*.step\n");
    let with_own =
        whole.replace("a.step", ".gitignore a.step").replace(".ignore .gitignore", ".gitignore .ignore");
    assert_eq!(plan(&["--no-ignore"]).await.0, with_own);
    let (listed, _) = plan(&[]).await;
    assert!(listed.contains("a.step"), "{listed}");
    let (followed, left_out) = plan(&["--ignore-vcs"]).await;
    assert_eq!((followed.contains(".step"), left_out), (false, json!(3)));
    // A part of a work tree.
    std::fs::create_dir(outside.path().join(".git")).unwrap();
    let (within, left_out) = plan(&[]).await;
    assert_eq!((within.contains(".step"), within.contains("b.log"), left_out), (false, true, json!(3)));

    let sent = run(&["upload", "parts/", "--to", "gearbox:/Model"]).await.stderr;
    assert!(sent.contains("3 files left out by .gitignore"), "{sent}");
    // With --include alone no folder is made without a file.
    let steps = ["upload", "parts", "--to", "gearbox:/Steps", "--include", "*.step", "--no-ignore"];
    run(&steps).await;
    let tree = terminal.objects().await;
    let below: Vec<&str> = tree.keys().filter_map(|path| path.strip_prefix("/Steps/parts")).collect();
    assert_eq!(below, ["", "/a.step", "/deep", "/deep/c.step"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_says_as_much_as_its_user_wants_at_the_pace_that_its_user_wants() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(20);
    terminal.write("parts/large.bin", vec![7; 9 * 1024 * 1024]);
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--jobs", "1", "--bwlimit", "1G"];
    let quiet = terminal.run(&[&upload[..], &["-q"]].concat()).await.expect(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    terminal.check_parts("/Model").await;
    let sync = ["sync", "gearbox:/Model/parts", "copy", "-v", "--jobs", "2", "--bwlimit", "500M"];
    let told = terminal.run(&sync).await.expect(0).stderr;
    assert!(told.contains("  downloaded copy/large.bin\n") && told.contains("Done in"), "{told}");
    terminal.write("parts/0/part-0.txt", "\0other");
    let left_alone = terminal.run(&[&upload[..], &["-q"]].concat()).await.expect(3).stderr;
    assert!(left_alone.contains("part-0.txt") && !left_alone.contains("Done"), "{left_alone}");
    let slow = terminal.run(&[&upload[..6], &["--bwlimit", "1k"]].concat()).await.expect(2).stderr;
    assert!(slow.contains("must be at least 10k"), "{slow}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_converted_file_is_known_by_its_content() {
    let terminal = CommandLine::open().await;
    let Some(inputs) = testkit::environment::shared_inputs() else { return };
    let steps = crate::support::files_below(&inputs);
    let is_small = |path: &&std::path::PathBuf| {
        let is_step = path.extension().is_some_and(|extension| extension == "stp" || extension == "step");
        is_step && std::fs::metadata(path).unwrap().len() < 200_000
    };
    let Some(step) = steps.iter().find(is_small) else { return };
    let file = terminal.write("parts/one.step", std::fs::read(step).unwrap());
    terminal.write("parts/two.step", std::fs::read(step).unwrap());
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
    assert_eq!(terminal.run(&upload).await.expect(0).event("summary")["sent"], json!(2));
    let hash = sha256(&std::fs::read(file).unwrap());
    let count = |tree: std::collections::BTreeMap<String, Vec<String>>| {
        tree.values().flatten().filter(|sha256| **sha256 == hash).count()
    };
    assert_eq!(count(terminal.tree().await), 2);
    assert_eq!(terminal.run(&upload).await.expect(0).event("summary")["unchanged"], json!(2));
    assert_eq!(count(terminal.tree().await), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_input_becomes_a_file() {
    let terminal = CommandLine::open().await;
    let path = terminal.write("backup.tar", "from a pipe");
    let mut command = terminal.command(&["upload", "-", "--name", "backup.tar", "--to", "gearbox:/Library"]);
    command.stdin(std::fs::File::open(path).unwrap());
    Finished::of(command.output().await.unwrap()).expect(0);
    assert_eq!(terminal.tree().await["/Library/backup.tar"], [sha256(b"from a pipe")]);
    let unnamed = terminal.run(&["upload", "-", "--to", "gearbox:/Library"]).await.expect(2);
    assert!(unnamed.stderr.contains("--name"), "{}", unnamed.stderr);
    for wrong in [&["-", "--name", "a/b"][..], &["backup.tar", "--name", "b.tar"], &["-", "backup.tar"]] {
        let refused =
            terminal.run(&[&["upload", "--to", "gearbox:/Library"], wrong].concat()).await.expect(2);
        assert!(refused.stderr.contains("standard input"), "{}", refused.stderr);
    }
}
