//! Small files, several in one request: few requests, the right folders, and names that meet.

use serde_json::json;
use testkit::deployment::Options;
use testkit::seed::MANAGE;

use crate::support::{CommandLine, sha256};

#[tokio::test(flavor = "multi_thread")]
async fn many_small_files_take_few_requests_and_a_second_run_fewer() {
    let terminal = CommandLine::own().await;
    terminal.write_parts(1_000);
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
    let counts = async || {
        (
            terminal.requests(&terminal.deployment.control[0]).await,
            terminal.requests(&terminal.deployment.data[0]).await,
        )
    };
    let before = counts().await;
    terminal.run(&upload).await.expect(0);
    let between = counts().await;
    assert!(between.0 - before.0 <= 8, "{} of the control plane", between.0 - before.0);
    assert!(between.1 - before.1 <= 6, "{} of the data plane", between.1 - before.1);
    terminal.check_parts("/Model").await;

    let second = terminal.run(&upload).await.expect(0).event("summary");
    assert_eq!(second["unchanged"], json!(1_000));
    let after = counts().await;
    assert!(after.0 - between.0 <= 4, "{} of the control plane", after.0 - between.0);
    assert_eq!(after.1, between.1);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_one_name_from_several_folders_all_arrive() {
    let terminal = CommandLine::open().await;
    for folder in ["x", "y", "z"] {
        terminal.write(&format!("{folder}/a.txt"), folder);
        terminal.write(&format!("{folder}/parts/b.txt"), folder);
        terminal.write(&format!("{folder}/parts/same.txt"), "the same");
    }
    let upload = ["upload", "x/", "y/", "z/", "--to", "gearbox:/Model", "--json"];
    assert_eq!(terminal.run(&upload).await.expect(0).event("summary")["sent"], json!(9));
    let tree = terminal.tree().await;
    let sorted = |path: &str| {
        let mut hashes = tree[path].clone();
        hashes.sort_unstable();
        hashes
    };
    let mut expected = ["x", "y", "z"].map(|text| sha256(text.as_bytes()));
    expected.sort_unstable();
    assert_eq!(sorted("/Model/a.txt"), expected);
    assert_eq!(sorted("/Model/parts/b.txt"), expected);
    assert_eq!(tree["/Model/parts/same.txt"].len(), 3);
    let again = terminal.run(&upload).await.expect(0).event("summary");
    assert_eq!((&again["sent"], &again["unchanged"]), (&json!(0), &json!(9)));
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_of_any_depth_and_of_an_ambiguous_name_are_the_right_ones() {
    let terminal = CommandLine::open().await;
    let deep: Vec<String> = (0..70).map(|level| format!("level {level}")).collect();
    terminal.write(&format!("parts/{}/deep.txt", deep.join("/")), "deep");
    terminal.write(&format!("parts/{}/half.txt", deep[..33].join("/")), "half");
    terminal.write("parts/two/a.txt", "two");
    // Two objects that a path can't tell apart.
    let objects = format!("/api/v2/projects/{}/objects", terminal.project);
    let model = terminal.objects().await["/Model"].clone();
    let make = async |name: &str, parent: &str| {
        let body = json!({ "name": name, "type": "Folder", "parent": parent });
        let made = terminal.caller.post(&objects).json(body);
        made.await.expect(201).text("/object/id")
    };
    let parts = make("parts", &model).await;
    make("two", &parts).await;
    make("two", &parts).await;
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
    assert_eq!(terminal.run(&upload).await.expect(0).event("summary")["sent"], json!(3));
    terminal.check_parts("/Model").await;
    assert_eq!(terminal.run(&upload).await.expect(0).event("summary")["unchanged"], json!(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_a_name_in_the_project_fails_alone() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(50);
    terminal.write("parts/back\\slash.txt", "not a name");
    terminal.write("parts/.../dots.txt", "not a name either");
    terminal.write("parts/two  spaces/file.txt", "nor is its folder's");
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
    let summary = terminal.run(&upload).await.expect(3).event("summary");
    assert_eq!((&summary["sent"], &summary["failedCount"]), (&json!(50), &json!(3)), "{summary}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_files_never_become_one_name() {
    let terminal = CommandLine::open().await;
    let [plain, spaced] = ["Drawing rev A.pdf", "Drawing  rev A.pdf"].map(|name| format!("parts/{name}"));
    terminal.write(&plain, "\0first");
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--update", "--json"];
    terminal.run(&upload).await.expect(0);
    let before = terminal.tree().await;
    terminal.write(&spaced, "\0second");
    let refused = terminal.run(&upload).await.expect(3).event("summary");
    let reason = "the project would change its name to \"Drawing rev A.pdf\"; rename it";
    let failure = json!([{ "path": spaced, "code": null, "message": reason }]);
    assert_eq!((&refused["failed"], &refused["updated"]), (&failure, &json!(0)));
    assert_eq!(terminal.tree().await, before);
    let input = ["upload", "-", "--name", " a.txt", "--to", "gearbox:/Model"];
    let refused = terminal.run_with_input(&input, "text").await.expect(2).stderr;
    assert!(refused.contains("would change its name to \"a.txt\""), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_in_which_all_files_failed_is_a_failure() {
    let environment = vec![("ATELIER_STORED_BYTES_LIMIT", "100000".to_owned())];
    let terminal = CommandLine::with(Options { environment, ..Options::default() }, MANAGE).await;
    terminal.write("parts/big.bin", vec![0; 200_000]);
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
    let failed = terminal.run(&upload).await.expect(3);
    assert_eq!(failed.event("summary")["failedCount"], json!(1));
    let error = failed.lines().pop().unwrap()["error"].clone();
    assert_eq!((&error["exitCode"], &error["message"]), (&json!(3), &json!("no file was sent: 1 failed")));
    // A path that isn't there ends the run before anything is sent.
    for option in ["--json", "--dry-run"] {
        terminal.run(&["upload", "nowhere", "--to", "gearbox:/Model", option]).await.expect(6);
    }
    terminal.write("parts/small.bin", "\0");
    terminal.run(&upload).await.expect(3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_the_service_refuses_fails_alone() {
    let environment = vec![("ATELIER_STORED_BYTES_LIMIT", "100000".to_owned())];
    let terminal = CommandLine::with(Options { environment, ..Options::default() }, MANAGE).await;
    terminal.write_parts(20);
    terminal.write("parts/3/big.bin", vec![0; 200_000]);
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
    let summary = terminal.run(&upload).await.expect(3).event("summary");
    assert_eq!((&summary["sent"], &summary["failedCount"]), (&json!(20), &json!(1)), "{summary}");
    assert_eq!(summary["failed"][0]["path"], "parts/3/big.bin");
    assert_eq!(summary["failed"][0]["code"], "LIMIT_REACHED");
    let again = terminal.run(&upload[..4]).await.expect(3);
    assert!(again.stderr.contains("parts/3/big.bin: LIMIT_REACHED: "), "{}", again.stderr);
    terminal.run(&[&upload[..], &["--exclude", "big.bin"]].concat()).await.expect(0);
    std::fs::remove_file(terminal.files.path().join("parts/3/big.bin")).unwrap();
    terminal.check_parts("/Model").await;
}
