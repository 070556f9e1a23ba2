//! Processes killed at exact points: answered work is stored, other work is whole or absent.

use std::fs::File;
use std::time::{Duration, SystemTime};

use serde_json::json;
use testkit::database::Database;
use testkit::deployment::{Deployment, Options};
use testkit::invariants::{staged_files, stored_blobs};
use testkit::proxy::FaultProxy;
use testkit::raw::Connection;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, uploaded};
use testkit::upload::Form;

use testkit::open_session::{OpenSession, eventually, eventually_async};

// X1
#[tokio::test]
async fn a_control_process_killed_before_its_commit_leaves_nothing_and_its_key_can_be_reused() {
    let mut deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let create = || caller.post("/api/v2/projects").idempotency_key("k").json(json!({ "name": "Gear" }));
    let mut blocker = deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table git_objects in share mode").await.unwrap();
    let lost = tokio::spawn(create().try_send());
    // The project's row and the claim of the key are written; the Git objects wait.
    deployment.database.wait_for_blocked(1).await;
    deployment.control[0].kill();
    assert!(lost.await.unwrap().is_err(), "a killed process answered");
    lock.rollback().await.unwrap();
    deployment.database.wait_for_quiet().await;
    for table in ["projects", "idempotency_records", "git_objects", "branches"] {
        assert_eq!(deployment.database.count(&format!("select count(*) from {table}")).await, 0, "{table}");
    }

    deployment.control[0].restart();
    let created = create().await.expect(201);
    assert!(!created.is_replay());
    assert!(create().await.is_replay());
}

// X2
#[tokio::test]
async fn the_outcome_of_a_control_process_killed_after_its_commit_is_replayed() {
    let database = Database::create().await;
    let proxy = FaultProxy::before(&database.url());
    let mut deployment = Deployment::with(Options {
        environment: vec![("ATELIER_DATABASE_URL", proxy.url(&database.url()))],
        database: Some(database),
        ..Options::default()
    })
    .await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    // The first request also writes rows outside of its transaction, so it comes before.
    caller.get("/api/v2/me").await.expect(200);
    let create = || caller.post("/api/v2/projects").idempotency_key("k").json(json!({ "name": "Gear" }));
    proxy.hold_commit();
    let lost = tokio::spawn(create().try_send());
    proxy.wait_for_held().await;
    eventually_async("it is committed", async || {
        deployment.database.count("select count(*) from projects").await > 0
    })
    .await;
    deployment.control[0].kill();
    assert!(lost.await.unwrap().is_err(), "a killed process answered");

    deployment.control[0].restart();
    let replayed = create().await.expect(201);
    assert!(replayed.is_replay());
    let project = replayed.text("/id");
    caller.get(&format!("/api/v2/projects/{project}/tree")).await.expect(200);
    assert_eq!(deployment.database.count("select count(*) from projects").await, 1);
    assert_eq!(deployment.database.count("select count(*) from git_objects where kind = 'commit'").await, 1);
}

// X4
#[tokio::test]
async fn a_data_process_killed_during_a_body_leaves_nothing_and_the_upload_can_be_repeated() {
    const HALF: usize = 64 * 1024 * 1024;
    let mut opened = OpenSession::own().await;
    let form = Form::new("big.bin");
    let mut connection = Connection::open(&opened.session.grant.url).await;
    let head =
        upload_head(&opened.session, &opened.model, &form, form.length(2 * u64::try_from(HALF).unwrap()));
    assert!(connection.send(head).await && connection.send(form.head()).await);
    assert!(connection.send(vec![7; HALF]).await);
    let folder = opened.deployment.blob_folder();
    eventually("bytes are on disk", || staged_files(&folder).iter().any(|file| size(file) > 0)).await;
    opened.deployment.data[0].kill();
    assert!(connection.try_answer().await.is_none(), "a killed process answered");

    opened.deployment.data[0].restart();
    eventually("what the dead process left is gone", || staged_files(&folder).is_empty()).await;
    assert!(stored_blobs(&folder).is_empty());
    assert!(opened.added().await.is_empty());
    let answer = opened.session.upload(&opened.model, "big.bin", vec![7; 2 * HALF]).await.expect(200);
    assert_eq!(opened.added().await, [uploaded(&answer)["id"].as_str().unwrap()]);
}

// X5
#[tokio::test]
async fn a_blob_whose_upload_was_killed_before_its_commit_is_swept_and_the_upload_can_be_repeated() {
    let mut opened = OpenSession::on(
        Deployment::with(Options {
            environment: vec![
                ("sweep_interval_secs", "1".to_owned()),
                ("sweep_grace_secs", "60".to_owned()),
                ("conversion_secs", "10".to_owned()),
                ("conversion_wait_secs", "10".to_owned()),
            ],
            ..Options::default()
        })
        .await,
    )
    .await;
    let session = opened.session.clone();
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table files in share mode").await.unwrap();
    let lost = tokio::spawn(session.upload(&opened.model, "gear.step", "solid").try_send());
    opened.deployment.database.wait_for_blocked(1).await;
    let folder = opened.deployment.blob_folder();
    assert_eq!(stored_blobs(&folder).len(), 1, "the blob is in its place before the database is asked");
    opened.deployment.data[0].kill();
    assert!(lost.await.unwrap().is_err(), "a killed process answered");
    lock.rollback().await.unwrap();
    opened.deployment.database.wait_for_quiet().await;
    assert!(opened.added().await.is_empty());
    assert_eq!(opened.deployment.database.count("select count(*) from files").await, 0);

    for blob in stored_blobs(&folder) {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options()
            .write(true)
            .open(folder.join("blobs").join(blob))
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
    }
    opened.deployment.data[0].restart();
    eventually("the orphan is swept", || stored_blobs(&folder).is_empty()).await;
    let answer = session.upload(&opened.model, "gear.step", "solid").await.expect(200);
    assert_eq!(opened.added().await, [uploaded(&answer)["id"].as_str().unwrap()]);
    assert_eq!(stored_blobs(&folder).len(), 1);
}

#[tokio::test]
async fn a_disconnecting_client_neither_splits_a_creation_nor_keeps_its_locks() {
    let deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let mut blocker = deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table git_objects in share mode").await.unwrap();
    let request = caller.post("/api/v2/projects").idempotency_key("k").json(json!({ "name": "Gear" }));
    let abandoned = tokio::spawn(request.try_send());
    deployment.database.wait_for_blocked(1).await;
    abandoned.abort();
    assert!(abandoned.await.unwrap_err().is_cancelled());
    lock.rollback().await.unwrap();
    deployment.database.wait_for_quiet().await;

    // Everything or nothing was created, and the owner's row is unlocked.
    let projects = deployment.database.count("select count(*) from projects").await;
    assert_eq!(deployment.database.count("select count(*) from idempotency_records").await, projects);
    assert_eq!(
        deployment.database.count("select count(*) from git_objects where kind = 'commit'").await,
        projects
    );
    create_project(&caller, "Shaft").await;
}

fn upload_head(session: &Session, parent: &str, form: &Form, length: u64) -> String {
    format!(
        "POST {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ncontent-type: {}\r\n\
         content-length: {length}\r\n\r\n",
        session.upload_path(parent),
        session.grant.credential(),
        form.content_type(),
    )
}

fn size(file: &std::path::Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}
