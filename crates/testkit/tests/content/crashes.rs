//! Processes killed during a commit or batch: all of it is stored, or nothing.

use serde_json::{Value, json};
use testkit::caller::{Base, Request};

use crate::support::Project;

#[tokio::test]
async fn a_commit_killed_before_its_end_leaves_nothing() {
    let mut project = Project::own().await;
    let gear = project.create(&project.model, "Gear").await;
    let (head, changes) = (project.head("main").await, project.changes("main").await);
    let commit = || project.post("branches/main/commits", json!({ "message": "Gear" })).idempotency_key("k");
    // The second-to-last write: the Git objects are written, and the overlay is empty.
    kill_at(&project, "commits", commit()).await;
    project.deployment.control[0].kill();
    project.deployment.database.wait_for_quiet().await;

    project.deployment.control[0].restart();
    assert_eq!(project.head("main").await, head);
    assert_eq!(project.changes("main").await, changes);
    assert_eq!(project.deployment.database.count("select count(*) from commits").await, 1);
    project.repository().await;
    let again = project.post("branches/main/commits", json!({ "message": "Gear" })).idempotency_key("k");
    let again = again.await.expect(201);
    assert!(!again.is_replay());
    assert_eq!(project.head("main").await, again.text("/commit/hash"));
    assert_eq!(project.object(&gear).await["name"], "Gear");
}

#[tokio::test]
async fn a_batch_killed_before_its_end_leaves_nothing() {
    let mut project = Project::own().await;
    let gear = project.create(&project.model, "Gear").await;
    project.commit("main", "Gear").await;
    let before = project.get("tree").await.expect(200).json();
    let operations = || {
        let mut operations: Vec<Value> =
            (0..100).map(|number| json!({ "op": "create", "name": number.to_string() })).collect();
        operations.push(json!({ "op": "delete", "id": gear }));
        json!(operations)
    };
    kill_at(&project, "working_changes", project.batch(operations())).await;
    project.deployment.control[0].kill();
    project.deployment.database.wait_for_quiet().await;

    project.deployment.control[0].restart();
    assert_eq!(project.get("tree").await.expect(200).json(), before);
    assert_eq!(project.changes("main").await["hasChanges"], false);
    project.batch(operations()).await.expect(201);
    assert_eq!(project.changes("main").await["totalObjectChanges"], 101);
}

/// Sends a request and kills its connection's server process while it waits to write to a table.
async fn kill_at(project: &Project, table: &str, request: Request) {
    let mut blocker = project.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute(&format!("lock table {table} in share mode")).await.unwrap();
    let lost = tokio::spawn(request.try_send());
    project.deployment.database.wait_for_blocked(1).await;
    project.deployment.control[0].process().signal(nix::sys::signal::Signal::SIGKILL);
    assert!(lost.await.unwrap().is_err(), "a killed process answered");
    lock.rollback().await.unwrap();
}
