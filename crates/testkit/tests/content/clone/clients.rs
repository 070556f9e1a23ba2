//! Libraries that speak Git's protocol. Without a registry the tests print that they are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use testkit::open_session::OpenSession;
use testkit::registry::{npm, pypi};

use crate::clone::support::{Git, commit, commits};

const PYGIT2: &[&str] = &["pygit2==1.21.0"];
const DULWICH: &[&str] = &["dulwich==1.2.21"];
const ISOMORPHIC_GIT: &[&str] = &["isomorphic-git@1.44.17"];

#[tokio::test]
async fn libgit2_clones_with_and_without_a_depth_and_fetches() {
    let Some(python) = pypi(&folder("pygit2"), PYGIT2) else { return };
    let script = include_str!("clients/pygit2_client.py");
    let expected = json!({ "whole": 5, "shallow": 2, "deeper": 2 });
    clones_and_fetches(|| python_with(&python, script), &expected).await;
}

#[tokio::test]
async fn dulwich_clones_with_and_without_a_depth_and_fetches() {
    let Some(python) = pypi(&folder("dulwich"), DULWICH) else { return };
    let script = include_str!("clients/dulwich_client.py");
    let expected = json!({ "whole": 5, "shallow": 2, "deeper": 2 });
    clones_and_fetches(|| python_with(&python, script), &expected).await;
}

#[tokio::test]
async fn isomorphic_git_clones_with_and_without_a_depth_and_fetches() {
    let Some(folder) = npm(&folder("isomorphic-git"), ISOMORPHIC_GIT) else { return };
    let script = folder.join("client.mjs");
    fs::write(&script, include_str!("clients/isomorphic.mjs")).unwrap();
    let node = || {
        let mut node = Command::new("node");
        node.arg(&script);
        node
    };
    clones_and_fetches(node, &json!({ "whole": 5, "shallow": 2, "deeper": 2 })).await;
}

/// Lets a client clone, and fetch one more commit; compares the numbers of commits that it has. Git checks the results.
async fn clones_and_fetches(client: impl Fn() -> Command, fetched: &Value) {
    let opened = OpenSession::open().await;
    commits(&opened, 3).await;
    let body = json!({ "name": "Empty", "skipInitialCommit": true });
    let empty = opened.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let git = Git::of(&opened.caller);
    let step = |name: &str| -> Value {
        let mut command = client();
        let url = |project: &str| format!("{}/git/{project}.git", opened.caller.url);
        command.args([name, &url(&opened.project), &url(&empty), opened.caller.credential()]);
        command.arg(git.folder.path());
        // Ignores the configuration of the machine, for example filters.
        command.env("HOME", git.folder.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        for proxy in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(proxy);
        }
        let output = command.output().unwrap();
        let (said, complaint) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{name}: {said}\n{complaint}");
        serde_json::from_str(said.trim()).unwrap()
    };
    assert_eq!(step("clone"), json!({ "whole": 4, "shallow": 1, "empty": true }));
    commit(&opened, "new.txt").await;
    assert_eq!(step("fetch"), *fetched);
    for name in ["whole", "shallow"] {
        git.run(name, &["fsck", "--no-dangling", "--no-progress"]);
    }
}

fn python_with(python: &Path, script: &str) -> Command {
    let mut command = Command::new(python);
    command.args(["-c", script]);
    command
}

/// A folder for the packages of a client, kept between runs.
fn folder(client: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("git-clients").join(client)
}
