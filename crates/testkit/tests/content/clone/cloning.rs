//! Clone, fetch, and shallow histories.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;
use testkit::open_session::OpenSession;
use testkit::seed::MANAGE;
use testkit::upload::ASSEMBLY;

use crate::clone::support::{Git, commit, commits};

#[tokio::test]
async fn a_clone_equals_the_project_written_by_git() {
    let opened = OpenSession::open().await;
    let head = commit(&opened, "gear.txt").await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &[]);

    git.check(&clone);
    assert_eq!(git.run(&clone, &["rev-parse", "HEAD"]), head);
    assert_snapshot!(git.run(&clone, &["log", "--format=%an: %s"]), @"
    alice: Add gear.txt
    alice: Create the project
    ");
    assert_snapshot!(git.run(&clone, &["branch", "--all"]), @"
    * main
      remotes/origin/HEAD -> origin/main
      remotes/origin/main
    ");
    let tree =
        opened.caller.get(&format!("/api/v2/projects/{}/tree", opened.project)).await.expect(200).json();
    let files = git.run(&clone, &["ls-files", "objects"]);
    for node in tree["tree"].as_array().unwrap() {
        let id = node["id"].as_str().unwrap();
        let file = files.lines().find(|file| file.contains(id)).unwrap();
        let object: serde_json::Value = serde_json::from_slice(&fs::read(clone.join(file)).unwrap()).unwrap();
        assert_eq!((&object["name"], &object["parent"]), (&node["name"], &node["parent"]));
    }
}

#[tokio::test]
async fn a_repeated_clone_is_equal_and_access_is_checked_again() {
    let opened = OpenSession::open().await;
    let git = Git::of(&opened.caller);
    let first = commit(&opened, "gear.txt").await;
    for name in ["made", "kept"] {
        let clone = git.clone(&opened.project, name, &[]);
        git.check(&clone);
        assert_eq!(git.run(&clone, &["rev-parse", "HEAD"]), first);
    }
    let stranger = opened.deployment.operator().user("stranger").await.key(MANAGE).await;
    let git_of_stranger = Git::of(&stranger);
    let refused = git_of_stranger.try_run(".", &["clone", &git_of_stranger.url(&opened.project), "hidden"]);
    assert!(!refused.succeeded && refused.said.contains("not found"), "{}", refused.said);

    let second = commit(&opened, "wheel.txt").await;
    let clone = git.clone(&opened.project, "newer", &[]);
    git.check(&clone);
    assert_eq!(git.run(&clone, &["rev-parse", "HEAD"]), second);
}

#[tokio::test]
async fn a_fetch_brings_only_new_objects() {
    let opened = OpenSession::open().await;
    commits(&opened, 3).await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &[]);
    let before = count_objects(&git, &clone);
    assert_eq!(git.run(&clone, &["fetch"]), "");

    let head = commit(&opened, "new.txt").await;
    git.run(&clone, &["pull", "--quiet"]);
    git.check(&clone);
    assert_eq!(git.run(&clone, &["rev-parse", "HEAD"]), head);
    // The commit; the object with its two folders, those above and the root; the file's pointer with its folders.
    let new = count_objects(&git, &clone) - before;
    assert!((5..=10).contains(&new), "{new}");
}

#[tokio::test]
async fn a_fetch_brings_lines_that_diverged_before_the_clone_and_merged_after_it() {
    let opened = OpenSession::open().await;
    let at = |path: &str| format!("/api/v2/projects/{}{path}", opened.project);
    let send = async |path: &str, body| opened.caller.post(&at(path)).json(body).await;
    for branch in ["side", "late"] {
        send("/branches", json!({ "name": branch })).await.expect(201);
    }
    commits(&opened, 3).await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &[]);

    for branch in ["side", "late"] {
        send(&format!("--{branch}/objects"), json!({ "name": branch })).await.expect(201);
        send(&format!("/branches/{branch}/commits"), json!({ "message": branch })).await.expect(201);
    }
    send("/branches/main/merge", json!({ "source": "side" })).await.expect(200);
    let head =
        send("/branches/main/merge", json!({ "source": "late" })).await.expect(200).text("/merge/commitHash");
    git.run(&clone, &["pull", "--quiet"]);
    git.check(&clone);
    assert_eq!(git.run(&clone, &["rev-parse", "HEAD"]), head);
    // The commits of both lines, and the two merges.
    assert_eq!(git.run(&clone, &["rev-list", "--count", "ORIG_HEAD..HEAD"]), "4");
}

#[tokio::test]
async fn a_shallow_clone_has_the_requested_depth_and_can_be_deepened() {
    let opened = OpenSession::open().await;
    commits(&opened, 5).await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &["--depth", "1"]);
    let count = |git: &Git| git.run(&clone, &["rev-list", "--count", "HEAD"]);
    git.check(&clone);
    assert_eq!(count(&git), "1");

    git.run(&clone, &["fetch", "--quiet", "--deepen", "2"]);
    assert_eq!(count(&git), "3");
    git.run(&clone, &["fetch", "--quiet", "--depth", "2"]);
    assert_eq!(count(&git), "2");
    git.check(&clone);

    let head = commit(&opened, "new.txt").await;
    git.run(&clone, &["pull", "--quiet"]);
    assert_eq!((git.run(&clone, &["rev-parse", "HEAD"]), count(&git)), (head, "3".to_owned()));
    git.run(&clone, &["fetch", "--quiet", "--unshallow"]);
    assert_eq!(count(&git), "7");
    git.check(&clone);
    assert_eq!(git.run(&clone, &["rev-parse", "--is-shallow-repository"]), "false");
}

#[tokio::test]
async fn older_protocols_clone_fetch_and_deepen_alike() {
    let opened = OpenSession::open().await;
    commits(&opened, 3).await;
    let git = Git::of(&opened.caller);
    for version in ["0", "1"] {
        let protocol = format!("protocol.version={version}");
        let whole = git.clone(&opened.project, &format!("whole-{version}"), &["--config", &protocol]);
        let part =
            git.clone(&opened.project, &format!("part-{version}"), &["--config", &protocol, "--depth", "1"]);
        let head = commit(&opened, &format!("new-{version}.txt")).await;
        for clone in [&whole, &part] {
            git.run(clone, &["pull", "--quiet"]);
            assert_eq!(git.run(clone, &["rev-parse", "HEAD"]), head);
            git.check(clone);
        }
        git.run(&part, &["fetch", "--quiet", "--deepen", "1"]);
        assert_eq!(git.run(&part, &["rev-list", "--count", "HEAD"]), "3");
        git.run(&part, &["fetch", "--quiet", "--unshallow"]);
        let count = |clone| git.run(clone, &["rev-list", "--count", "HEAD"]);
        assert_eq!(count(&part), count(&whole));
        git.check(&part);
    }
}

#[tokio::test]
async fn a_project_without_a_commit_clones_as_an_empty_repository_with_its_branch() {
    let opened = OpenSession::open().await;
    let body = serde_json::json!({ "name": "Unborn", "skipInitialCommit": true });
    let project = opened.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let git = Git::of(&opened.caller);
    for version in ["2", "0"] {
        let protocol = format!("protocol.version={version}");
        let name = format!("unborn-{version}");
        let said = git.run(
            ".",
            &["-c", &protocol, "-c", "init.defaultBranch=other", "clone", &git.url(&project), &name],
        );
        assert!(said.contains("You appear to have cloned an empty repository."), "{said}");
        let branch = git.run(&name, &["symbolic-ref", "--short", "HEAD"]);
        // Only the newer protocol reports it.
        assert_eq!(branch, if version == "2" { "main" } else { "other" });
    }
}

#[tokio::test]
async fn a_clone_path_names_a_branch_like_other_paths() {
    let opened = OpenSession::open().await;
    let branches = format!("/api/v2/projects/{}/branches", opened.project);
    opened.caller.post(&branches).json(serde_json::json!({ "name": "try/this" })).await.expect(201);
    commit(&opened, "gear.txt").await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&format!("{}--try%2Fthis", opened.project), "gear", &[]);
    assert_eq!(git.run(&clone, &["symbolic-ref", "--short", "HEAD"]), "try/this");
    assert_eq!(git.run(&clone, &["rev-list", "--count", "HEAD"]), "1");
    assert_eq!(git.run(&clone, &["rev-list", "--count", "origin/main"]), "2");
}

#[tokio::test]
async fn a_clone_during_commits_is_at_one_of_them() {
    let opened = OpenSession::open().await;
    let git = Git::of(&opened.caller);
    let writer = async { commits(&opened, 12).await };
    let reader = async {
        for number in 0..6 {
            let mut clone = tokio::process::Command::from(
                git.command(".", &["clone", "--quiet", &git.url(&opened.project), &number.to_string()]),
            );
            let output = clone.output().await.unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    };
    tokio::join!(writer, reader);
    for number in 0..6 {
        git.check(&git.folder.path().join(number.to_string()));
    }
}

fn count_objects(git: &Git, clone: &std::path::Path) -> usize {
    git.run(clone, &["rev-list", "--objects", "--all", "--count"]).parse().unwrap()
}

#[tokio::test]
async fn an_uploaded_design_is_cloned_with_its_parts_by_name() {
    let opened = OpenSession::open().await;
    opened.session.upload(&opened.model, "SCDR.stp", ASSEMBLY).await.expect(200);
    let commits = format!("/api/v2/projects/{}/branches/main/commits", opened.project);
    opened.caller.post(&commits).json(json!({ "message": "Add the gearbox" })).await.expect(201);
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &[]);
    git.check(&clone);
    let listed = git.run(&clone, &["ls-files", "objects", "files"]);
    let name = |path: &str| {
        let (folder, file) = (path.split('/').next().unwrap(), path.rsplit('/').next().unwrap());
        format!("{folder} {}", file.split('.').next().unwrap())
    };
    let mut names: Vec<String> = listed.lines().map(name).collect();
    names.sort();
    assert_snapshot!(names.join("\n"), @"
    files SCDR
    objects Gearbox
    objects Library
    objects Model
    objects left
    objects right
    ");
}
