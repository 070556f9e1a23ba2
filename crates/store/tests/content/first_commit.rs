//! Content of a new project.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::world::{World, id_of, show};

#[tokio::test]
async fn a_new_project_holds_its_reserved_packages_and_nothing_uncommitted() {
    let world = World::new().await;
    let project = world.project().await;
    let tree = world.tree(&project).await.unwrap();
    assert_eq!(
        show(&tree, project.project),
        "3 objects\nModel (Package, 0 children)\nLibrary (Package, 0 children)"
    );
    let changes = world.changes(&project).await;
    assert!(!changes.has_changes);
    assert_eq!(changes.total_object_changes, 0);
    assert_eq!(changes.committed_hash, head(&world).await);
}

#[tokio::test]
async fn without_a_first_commit_the_packages_are_uncommitted() {
    let world = World::new().await;
    let project = world.project_without_commit().await;
    let tree = world.tree(&project).await.unwrap();
    assert_eq!(
        show(&tree, project.project),
        "3 objects\nModel (Package, 0 children)\nLibrary (Package, 0 children)"
    );
    assert_eq!(
        serde_json::to_value(world.changes(&project).await).unwrap(),
        json!({
            "hasChanges": true,
            "totalObjectChanges": 2,
            "added": [id_of(&tree, "Model"), id_of(&tree, "Library")],
            "modified": [],
            "deleted": [],
            "deletedObjects": [],
            "committedHash": "0000000000000000000000000000000000000000",
        })
    );
    assert_eq!(world.database.count("select count(*) from git_objects").await, 0);
}

#[tokio::test]
async fn git_accepts_the_rows_of_a_first_commit() {
    let world = World::new().await;
    world.project().await;
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str], input: &[u8]| {
        let mut child = Command::new("git")
            .current_dir(folder.path())
            .args(arguments)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet", "--bare", "--initial-branch=main"], b"");
    let rows = world
        .database
        .connect()
        .await
        .query("select encode(oid, 'hex'), kind, data from git_objects", &[])
        .await
        .unwrap();
    for row in rows {
        let (oid, kind, data): (String, String, Vec<u8>) = (row.get(0), row.get(1), row.get(2));
        assert_eq!(git(&["hash-object", "-w", "-t", &kind, "--stdin"], &data), oid);
    }
    let head = head(&world).await;
    git(&["update-ref", "refs/heads/main", &head], b"");
    assert_eq!(git(&["fsck", "--strict"], b""), "");
    assert_eq!(
        git(&["log", "--format=%an <%ae> %at %s", "main"], b""),
        format!("Ada Löwe <{}@users.noreply.localhost> 1795176000 Create the project", world.user)
    );
    assert_eq!(git(&["ls-tree", "-r", "--name-only", "main", "objects"], b"").lines().count(), 2);
}

async fn head(world: &World) -> String {
    let client = world.database.connect().await;
    let row = client.query_one("select encode(head, 'hex') from branches", &[]).await;
    row.unwrap().get(0)
}
