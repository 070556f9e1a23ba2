//! A project's content as Git sees it: what PostgreSQL holds is a repository that real Git accepts.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use futures_util::future::join_all;
use insta::assert_snapshot;
use testkit::answer::redact;
use testkit::api::Api;
use testkit::database::Database;
use testkit::seed::MANAGE;
use testkit::session::create_project;

#[tokio::test]
async fn the_first_commit_is_one_that_git_accepts_and_the_hash_that_the_service_shows() {
    let api = Api::start().await;
    let caller = api.operator().user("alice").await.key(MANAGE).await;
    let project = create_project(&caller, "Gear").await;
    let repository = export(&api.database, &project).await;
    let git = |arguments: &[&str]| git(repository.path(), arguments);

    assert_snapshot!(git(&["fsck", "--strict", "--full", "--no-dangling"]), @"");
    let changes = caller.get(&format!("/api/v2/projects/{project}/branches/main/changes")).await.expect(200);
    assert_eq!(git(&["rev-parse", "main"]), changes.text("/committedHash"));
    assert_snapshot!(git(&["log", "--format=%an <%ae>%n%cn <%ce>%n%s", "main"]), @"
    alice <alice@example.com>
    alice <alice@example.com>
    Create the project
    ");
    assert_snapshot!(git(&["rev-list", "--count", "main"]), @"1");
    // One JSON file for each object, in folders by its id; and what the tree shows is what is committed.
    let tree = caller.get(&format!("/api/v2/projects/{project}/tree")).await.expect(200).json();
    for node in tree["tree"].as_array().unwrap() {
        let id = node["id"].as_str().unwrap();
        let files = git(&["ls-tree", "-r", "--name-only", "main"]);
        let file = files
            .lines()
            .find(|file| file.contains(id))
            .unwrap_or_else(|| panic!("no file of {id} in {files}"));
        let object: serde_json::Value =
            serde_json::from_str(&git(&["show", &format!("main:{file}")])).unwrap();
        assert_eq!((&object["name"], &object["parent"]), (&node["name"], &node["parent"]));
    }
    let files = git(&["ls-tree", "-r", "--name-only", "main"]);
    let mut names: Vec<&str> = files.lines().map(|file| file.rsplit('/').next().unwrap()).collect();
    names.sort_unstable();
    assert_snapshot!(redact(&names.join(" ")), @".gitattributes Library.<id 1>.json Model.<id 2>.json README.md project.json");
}

#[tokio::test]
async fn projects_that_are_created_at_once_are_repositories_of_their_own() {
    let api = Api::start().await;
    let caller = api.operator().user("alice").await.key(MANAGE).await;
    let projects = join_all((0..8).map(|number| {
        let caller = caller.clone();
        async move { create_project(&caller, &format!("Gear {number}")).await }
    }))
    .await;
    for project in projects {
        let repository = export(&api.database, &project).await;
        assert_eq!(git(repository.path(), &["fsck", "--strict", "--full", "--no-dangling"]), "");
    }
}

/// A bare repository with a project's objects, each written by Git itself, and its branches.
async fn export(database: &Database, project: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet", "--bare", "--initial-branch=main", "."]);
    let client = database.connect().await;
    let id: uuid::Uuid = project.parse().unwrap();
    let of_project =
        |columns: &str, table: &str| format!("select {columns} from {table} where project_id::text = $1");
    let id = id.to_string();
    for row in
        client.query(&of_project("encode(oid, 'hex'), kind, data", "git_objects"), &[&id]).await.unwrap()
    {
        let (oid, kind, data): (String, String, Vec<u8>) = (row.get(0), row.get(1), row.get(2));
        assert_eq!(hash_object(folder.path(), &kind, &data), oid, "Git's own id of a {kind}");
    }
    for row in client.query(&of_project("name, encode(head, 'hex')", "branches"), &[&id]).await.unwrap() {
        let (name, head): (String, String) = (row.get(0), row.get(1));
        let reference = folder.path().join("refs/heads").join(name);
        fs::write(reference, format!("{head}\n")).unwrap();
    }
    folder
}

fn hash_object(repository: &Path, kind: &str, data: &[u8]) -> String {
    let mut git = command(repository, &["hash-object", "-w", "--stdin", "-t", kind]);
    let mut child = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(data).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// What Git says, on both of its outputs; it has to succeed.
fn git(repository: &Path, arguments: &[&str]) -> String {
    let output = command(repository, arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).unwrap().trim().to_owned();
    assert!(output.status.success(), "git {}: {said}", arguments.join(" "));
    said
}

/// Git with nothing of this machine's configuration.
fn command(repository: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(repository).args(arguments);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    git
}
