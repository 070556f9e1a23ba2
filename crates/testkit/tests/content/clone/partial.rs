//! Work in partial clones of a project: what a client left out comes when it needs it.

use std::fs;
use std::path::Path;

use testkit::open_session::OpenSession;
use testkit::session::create_project;

use crate::clone::support::{Git, commit, commits};

/// Number of Git objects that a clone lacks.
fn missing(git: &Git, clone: &Path) -> usize {
    let listed = git.run(clone, &["rev-list", "--objects", "--all", "--missing=print"]);
    listed.lines().filter(|line| line.starts_with('?')).count()
}

#[tokio::test]
async fn files_that_a_clone_leaves_out_come_at_its_checkout() {
    let opened = OpenSession::open().await;
    commits(&opened, 3).await;
    let git = Git::of(&opened.caller);
    let whole = git.clone(&opened.project, "whole", &[]);
    for filter in ["blob:none", "blob:limit=1", "tree:0"] {
        let name = filter.replace([':', '='], "-");
        let argument = format!("--filter={filter}");
        let clone = git.clone(&opened.project, &name, &[&argument, "--no-checkout"]);
        assert!(missing(&git, &clone) > 0, "{filter}");
        git.run(&clone, &["checkout", "--quiet", "main"]);
        git.check(&clone);
        for file in git.run(&whole, &["ls-files"]).lines() {
            assert_eq!(fs::read(clone.join(file)).unwrap(), fs::read(whole.join(file)).unwrap(), "{file}");
        }
        let log = |clone: &Path| git.run(clone, &["log", "--stat", "--format=%H %s"]);
        assert_eq!(log(&clone), log(&whole));
        git.check(&clone);
    }
}

#[tokio::test]
async fn a_partial_clone_fetches_new_commits_without_their_files() {
    let opened = OpenSession::open().await;
    commits(&opened, 2).await;
    let git = Git::of(&opened.caller);
    for filter in ["blob:none", "tree:0"] {
        let clone = git.clone(&opened.project, &filter.replace(':', "-"), &[&format!("--filter={filter}")]);
        let before = missing(&git, &clone);
        let head = commit(&opened, &format!("{}.txt", filter.replace(':', "-"))).await;
        git.run(&clone, &["fetch", "--quiet"]);
        assert!(missing(&git, &clone) > before, "{filter}");
        git.run(&clone, &["merge", "--quiet", "--ff-only", "origin/main"]);
        assert_eq!(git.run(&clone, &["rev-parse", "HEAD"]), head);
        git.check(&clone);
        // A clone becomes whole again.
        git.run(&clone, &["fetch", "--quiet", "--refetch", "--no-filter"]);
        assert_eq!(missing(&git, &clone), 0);
        git.check(&clone);
    }
}

#[tokio::test]
async fn a_sparse_checkout_fetches_only_its_folders() {
    let opened = OpenSession::open().await;
    commits(&opened, 3).await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "sparse", &["--filter=blob:none", "--sparse"]);
    let folder = |clone: &Path, name: &str| clone.join(name).exists();
    assert!(!folder(&clone, "objects") && !folder(&clone, "files"));
    let before = missing(&git, &clone);
    git.run(&clone, &["sparse-checkout", "set", "files"]);
    assert!(!folder(&clone, "objects") && folder(&clone, "files"));
    let after = missing(&git, &clone);
    assert!(0 < after && after < before, "{after} of {before}");
    assert_eq!(git.run(&clone, &["status", "--porcelain"]), "");
    git.run(&clone, &["sparse-checkout", "disable"]);
    git.check(&clone);
}

#[tokio::test]
async fn a_fetch_of_single_objects_serves_only_those_of_its_project() {
    let opened = OpenSession::open().await;
    commits(&opened, 1).await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &["--filter=tree:0", "--no-checkout"]);
    let own = git.run(&clone, &["rev-parse", "main:objects"]);
    let other = create_project(&opened.caller, "Other").await;
    let foreign = git.clone(&other, "other", &[]);
    let kept = git.run(&foreign, &["ls-tree", "-r", "--format=%(objectname)", "main"]);
    let alone = git.clone(&opened.project, "alone", &["--depth=1", "--bare"]);
    git.run(&alone, &["fetch", "--quiet", "origin", &own]);
    for oid in kept.lines().filter(|oid| !git.try_run(&alone, &["cat-file", "-e", oid]).succeeded) {
        let run = git.try_run(&alone, &["fetch", "--quiet", "origin", oid]);
        assert!(!run.succeeded && run.said.contains(&format!("not our object {oid}")), "{}", run.said);
    }
}

#[tokio::test]
async fn a_client_asks_which_commits_both_sides_have() {
    let opened = OpenSession::open().await;
    let common = commit(&opened, "first.txt").await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &[]);
    let identity = ["-c", "user.name=alice", "-c", "user.email=alice@example.com"];
    git.run(&clone, &[&identity[..], &["commit", "--quiet", "--allow-empty", "--message", "Mine"]].concat());
    commit(&opened, "second.txt").await;
    let found = git.run(&clone, &["fetch", "--negotiate-only", "--negotiation-tip=HEAD", "origin"]);
    assert!(found.lines().any(|commit| commit == common), "{found}");
}
