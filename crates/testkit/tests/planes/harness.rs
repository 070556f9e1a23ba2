//! The checks at the end of every test: each detects its fault.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use testkit::answer::Answer;
use testkit::caller::check;
use testkit::invariants::{check_blobs, check_database, check_log};

use testkit::open_session::OpenSession;

fn is_detected(check: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

#[tokio::test]
async fn inconsistent_database_or_blobs_are_detected() {
    let shop = OpenSession::own().await;
    shop.session.upload(&shop.model, "a.txt", "a").await.expect(200);
    let (database, folder) = (&shop.deployment.database, shop.deployment.blob_folder());
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
    let stray = folder.join("blobs").join(&shop.project).join("stray");
    fs::write(&stray, "").unwrap();
    assert!(is_detected(both), "a blob without a file");
    check_blobs(database, &folder, true);
    fs::remove_file(stray).unwrap();

    client.batch_execute("begin; select 1").await.unwrap();
    assert!(is_detected(both), "a connection that is idle in a transaction");
    client.batch_execute("rollback").await.unwrap();
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
    let shop = OpenSession::open().await;
    let good = shop.caller.get("/api/v2/nothing").await;
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
