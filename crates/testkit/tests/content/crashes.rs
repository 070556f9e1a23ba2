//! Processes killed during a commit or batch: all of it is stored, or nothing.

use serde_json::{Value, json};
use testkit::caller::{Base, Request};

use crate::support::Project;

#[tokio::test]
async fn a_commit_killed_before_its_end_leaves_nothing() {
    let mut studio = Project::own().await;
    let gear = studio.create(&studio.model, "Gear").await;
    let (head, changes) = (studio.head("main").await, studio.changes("main").await);
    let commit = || studio.post("branches/main/commits", json!({ "message": "Gear" })).idempotency_key("k");
    // The second-to-last write: the Git objects are written, and the overlay is empty.
    kill_at(&studio, "commits", commit()).await;
    studio.deployment.control[0].kill();
    studio.deployment.database.wait_for_quiet().await;

    studio.deployment.control[0].restart();
    assert_eq!(studio.head("main").await, head);
    assert_eq!(studio.changes("main").await, changes);
    assert_eq!(studio.deployment.database.count("select count(*) from commits").await, 1);
    studio.repository().await;
    let again = studio.post("branches/main/commits", json!({ "message": "Gear" })).idempotency_key("k");
    let again = again.await.expect(201);
    assert!(!again.is_replay());
    assert_eq!(studio.head("main").await, again.text("/commit/hash"));
    assert_eq!(studio.object(&gear).await["name"], "Gear");
}

#[tokio::test]
async fn a_batch_killed_before_its_end_leaves_nothing() {
    let mut studio = Project::own().await;
    let gear = studio.create(&studio.model, "Gear").await;
    studio.commit("main", "Gear").await;
    let before = studio.get("tree").await.expect(200).json();
    let operations = || {
        let mut operations: Vec<Value> =
            (0..100).map(|number| json!({ "op": "create", "name": number.to_string() })).collect();
        operations.push(json!({ "op": "delete", "id": gear }));
        json!(operations)
    };
    kill_at(&studio, "working_changes", studio.batch(operations())).await;
    studio.deployment.control[0].kill();
    studio.deployment.database.wait_for_quiet().await;

    studio.deployment.control[0].restart();
    assert_eq!(studio.get("tree").await.expect(200).json(), before);
    assert_eq!(studio.changes("main").await["hasChanges"], false);
    studio.batch(operations()).await.expect(201);
    assert_eq!(studio.changes("main").await["totalObjectChanges"], 101);
}

/// Sends a request and kills its connection's server process while it waits to write to a table.
async fn kill_at(studio: &Project, table: &str, request: Request) {
    let mut blocker = studio.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute(&format!("lock table {table} in share mode")).await.unwrap();
    let lost = tokio::spawn(request.try_send());
    studio.deployment.database.wait_for_blocked(1).await;
    studio.deployment.control[0].process().signal(nix::sys::signal::Signal::SIGKILL);
    assert!(lost.await.unwrap().is_err(), "a killed process answered");
    lock.rollback().await.unwrap();
}
