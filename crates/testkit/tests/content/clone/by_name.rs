//! Repositories by the names of owner and project.

use std::fs;

use serde_json::json;
use testkit::environment;
use testkit::open_session::OpenSession;
use testkit::seed::MANAGE;
use testkit::session::Session;

use crate::clone::support::{Git, Run, commit};

#[tokio::test]
async fn a_clone_by_name_has_the_same_commits_and_files_as_one_by_id() {
    let opened = OpenSession::own().await;
    let head = commit(&opened, "gear.txt").await;
    let branches = format!("/api/v2/projects/{}/branches", opened.project);
    opened.caller.post(&branches).json(json!({ "name": "feature/teeth" })).await.expect(201);
    let mut git = Git::of(&opened.caller);
    git.with_program(&environment::git_lfs());
    let by_name = git.clone("alice/gear", "by-name", &[]);
    let by_id = git.clone(&opened.project, "by-id", &[]);
    for arguments in [&["rev-parse", "HEAD"][..], &["ls-tree", "-r", "HEAD"], &["branch", "--all"]] {
        assert_eq!(git.run(&by_name, arguments), git.run(&by_id, arguments));
    }
    assert_eq!(git.run(&by_name, &["rev-parse", "HEAD"]), head);
    git.check(&by_name);
    git.run(&by_name, &["lfs", "install", "--local"]);
    git.run(&by_name, &["lfs", "pull"]);
    let files = git.run(&by_name, &["ls-files", "files"]);
    assert_eq!(fs::read_to_string(by_name.join(files.lines().next().unwrap())).unwrap(), "gear.txt");
    let at_branch = git.clone("alice/gear--feature%2Fteeth", "at-branch", &[]);
    assert_eq!(git.run(&at_branch, &["branch", "--show-current"]), "feature/teeth");
    // The name in URLs outlives a new name for people, and a fetch by it goes on.
    let project = format!("/api/v2/projects/{}", opened.project);
    opened.caller.patch(&project).json(json!({ "name": "Cog" })).await.expect(200);
    let next = commit(&opened, "cog.txt").await;
    git.run(&by_name, &["pull", "--quiet"]);
    assert_eq!(git.run(&by_name, &["rev-parse", "HEAD"]), next);
}

#[tokio::test]
async fn a_project_of_an_organization_is_cloned_by_its_name() {
    let opened = OpenSession::own().await;
    let org = opened.deployment.operator().organization("works", &opened.alice).await;
    let body = json!({ "name": "Gear", "orgId": org });
    let project = opened.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let git = Git::of(&opened.caller);
    let by_name = git.clone("works/gear", "by-name", &[]);
    let by_id = git.clone(&project, "by-id", &[]);
    assert_eq!(git.run(&by_name, &["rev-parse", "HEAD"]), git.run(&by_id, &["rev-parse", "HEAD"]));
}

#[tokio::test]
async fn a_project_that_moved_is_cloned_and_fetched_by_its_old_address() {
    let opened = OpenSession::own().await;
    commit(&opened, "gear.txt").await;
    let mut git = Git::of(&opened.caller);
    git.with_program(&environment::git_lfs());
    let before = git.clone("alice/gear", "before", &[]);
    let org = opened.deployment.operator().organization("works", &opened.alice).await;
    let browser = opened.alice.browser().await;
    let transfer = format!("/api/v2/projects/{}/transfer", opened.project);
    browser.post(&transfer).json(json!({ "ownerId": org })).await.expect(200);
    let opened = OpenSession { session: Session::open(&opened.caller, &opened.project).await, ..opened };
    let next = commit(&opened, "cog.txt").await;

    git.run(&before, &["pull", "--quiet"]);
    let after = git.clone("alice/gear", "after", &[]);
    for clone in [&before, &after] {
        assert_eq!(git.run(clone, &["rev-parse", "HEAD"]), next);
        git.run(clone, &["lfs", "install", "--local"]);
        git.run(clone, &["lfs", "pull"]);
    }
    let Run { said, .. } = git.try_run(".", &["clone", &git.url("alice/gear"), "told"]);
    assert!(said.contains("warning: redirecting to"), "{said}");
    let at_branch = git.clone("alice/gear--main", "at-branch", &[]);
    assert_eq!(git.run(&at_branch, &["rev-parse", "HEAD"]), next);
}

// I8
#[tokio::test]
async fn a_hidden_project_is_answered_by_name_like_an_absent_one() {
    let opened = OpenSession::open().await;
    let stranger = opened.deployment.operator().user("stranger").await.key(MANAGE).await;
    let git = Git::of(&stranger);
    let clone = |name: &str| {
        let Run { succeeded, said } = git.try_run(".", &["clone", "--quiet", &git.url(name), "gear"]);
        assert!(!succeeded);
        said.replace(name, "<name>")
    };
    let hidden = clone("alice/gear");
    for absent in ["alice/cog", "nobody/gear", "Alice/Gear", "alice/gear--none", "alice/gear--"] {
        assert_eq!(clone(absent), hidden, "{absent}");
    }
    let answer = async |name: &str| {
        stranger.get(&format!("/git/{name}/info/refs?service=git-upload-pack")).await.to_string()
    };
    for name in ["alice/gear.git", "alice/gear", "alice/cog.git", "a%00b/gear.git", "alice/a%00b.git"] {
        assert_eq!(answer(name).await, "404 NOT_FOUND", "{name}");
    }
}
