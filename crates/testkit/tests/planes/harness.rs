//! The checks at the end of every test: each detects its fault.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Stdio;

use serde_json::Value;
use testkit::answer::Answer;
use testkit::caller::check;
use testkit::database::connect;
use testkit::deployment::Deployment;
use testkit::environment::program;
use testkit::invariants::{check_blobs, check_database, check_log};
use testkit::open_session::{OpenSession, eventually};

fn is_detected(check: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

#[tokio::test]
async fn inconsistent_database_or_blobs_are_detected() {
    let opened = OpenSession::own().await;
    opened.session.upload(&opened.model, "a.txt", "a").await.expect(200);
    let (database, folder) = (&opened.deployment.database, opened.deployment.blob_folder());
    let client = database.connect().await;
    let both = || {
        check_database(database);
        check_blobs(database, &folder, false);
    };
    both();
    for (harm, repair) in [
        (
            "insert into idempotency_records values (gen_random_uuid(), 'x', 'k', null, now(), null)",
            "delete from idempotency_records",
        ),
        ("update projects set default_branch = 'other'", "update projects set default_branch = 'main'"),
        ("update files set size_bytes = size_bytes + 1", "update files set size_bytes = size_bytes - 1"),
        ("update files set blob_key = blob_key || 'x'", "update files set blob_key = rtrim(blob_key, 'x')"),
    ] {
        client.batch_execute(harm).await.unwrap();
        assert!(is_detected(both), "{harm}");
        client.batch_execute(repair).await.unwrap();
        both();
    }
    let stray = folder.join("blobs").join(&opened.project).join("stray");
    fs::write(&stray, "").unwrap();
    assert!(is_detected(both), "a blob without a file");
    check_blobs(database, &folder, true);
    fs::remove_file(stray).unwrap();

    client.batch_execute("begin; select 1").await.unwrap();
    assert!(is_detected(both), "a connection that is idle in a transaction");
    client.batch_execute("rollback").await.unwrap();
}

#[tokio::test]
async fn a_shared_deployment_fails_at_its_end_if_an_invariant_is_broken_and_refuses_to_be_killed() {
    for (harm, succeeds) in [
        ("select 1", true),
        ("insert into idempotency_records values (gen_random_uuid(), 'x', 'k', null, now(), null)", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deployment.json");
        let mut command = tokio::process::Command::new(program("shared-deployment"));
        command.arg(&file).stdin(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut shared = command.spawn().unwrap();
        eventually("the deployment is described", || file.exists()).await;
        let described: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let database = connect(described["databaseUrl"].as_str().unwrap()).await;
        database.batch_execute(harm).await.unwrap();
        drop(shared.stdin.take());
        assert_eq!(shared.wait().await.unwrap().success(), succeeds, "{harm}");
    }
    let mut deployment = Deployment::shared();
    assert!(is_detected(|| deployment.control[0].kill()));
    assert!(is_detected(|| deployment.data[0].restart()));
}

#[test]
fn a_secret_or_a_panic_in_a_log_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    for (line, noticed) in [
        ("{\"message\":\"listening\",\"key\":\"svc_ak_live_…4cLf\"}", false),
        ("{\"key\":\"svc_ak_live_0123456789\"}", true),
        ("Authorization: Bearer svc_gr_eyJhbGciOi", true),
        ("token eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.e30", true),
        ("thread 'main' panicked at src/main.rs:1:1", true),
    ] {
        fs::write(&log, format!("before\n{line}\nafter\n")).unwrap();
        assert_eq!(is_detected(|| check_log(&log)), noticed, "{line}");
    }
}

#[tokio::test]
async fn a_failure_outside_of_the_envelope_is_detected() {
    let opened = OpenSession::open().await;
    let good = opened.caller.get("/api/v2/nothing").await;
    let with = |change: &dyn Fn(&mut Answer)| {
        let mut answer = good.clone();
        change(&mut answer);
        is_detected(|| check(&answer, false))
    };
    assert!(!with(&|_| {}));
    assert!(with(&|answer| answer.body = "Not Found".into()));
    assert!(with(&|answer| answer.body = r#"{"success":true,"error":{"code":"X","message":"x"}}"#.into()));
    assert!(with(&|answer| answer.body = r#"{"success":false,"error":{"code":"X"}}"#.into()));
    assert!(with(&|answer| {
        answer.headers.remove("x-request-id");
    }));
    assert!(with(&|answer| answer.status = 401));
    assert!(with(&|answer| answer.status = 500));
    assert!(with(&|answer| answer.status = 503));
}
