//! Outages of PostgreSQL and Redis: answers during the outage, and time to recovery.

use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use insta::assert_snapshot;
use reqwest::Client;
use serde_json::{Value, json};
use testkit::database::Database;
use testkit::deployment::{Deployment, Options, migrate_command};
use testkit::postgres::PrivatePostgres;
use testkit::redis::PrivateRedis;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project};

use testkit::open_session::{OpenSession, added, eventually_async};

/// Longest time to recovery (I10).
const RECOVERY: Duration = Duration::from_secs(10);

async fn readiness(http: &Client, ops_url: &str) -> (u16, Value) {
    let answer = http.get(format!("{ops_url}/readyz")).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

// X7
#[tokio::test]
async fn without_redis_both_services_start_and_everything_except_sessions_works() {
    let mut redis = PrivateRedis::stopped();
    let deployment = Deployment::with(Options { redis_url: redis.url(), ..Options::default() }).await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    for ops_url in [&deployment.control[0].ops_url, &deployment.data[0].ops_url] {
        let (status, report) = readiness(&deployment.http, ops_url).await;
        assert_eq!((status, &report["status"]), (200, &json!("degraded")), "{report}");
        // Both planes name what they share alike.
        assert_eq!(
            (&report["checks"]["postgresql"], &report["checks"]["redis"]),
            (&json!("up"), &json!("down"))
        );
    }
    let project = create_project(&caller, "Gear").await;
    caller.get(&format!("/api/v2/projects/{project}/tree")).await.expect(200);
    let sessions = format!("/api/v2/projects/{project}/sessions");
    let started = Instant::now();
    assert_snapshot!(caller.post(&sessions).await, @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(deployment.database.count("select count(*) from sessions").await, 0);

    redis.restart();
    let back = Instant::now();
    eventually_async("sessions are opened again", async || caller.post(&sessions).await.status == 201).await;
    assert!(back.elapsed() < Duration::from_secs(5), "{:?}", back.elapsed());
    let session = Session::open(&caller, &project).await;
    session.upload(&project, "a.txt", "a").await.expect(200);
}

#[tokio::test]
async fn readiness_does_not_wait_behind_requests() {
    let few = vec![("ATELIER_DATABASE_CONNECTIONS", "2".to_owned())];
    let opened =
        OpenSession::on(Deployment::with(Options { environment: few, ..Options::default() }).await).await;
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select from projects for update", &[]).await.unwrap();
    let rename = |name: &str| {
        let path = format!("/api/v2/projects/{}", opened.project);
        tokio::spawn(opened.caller.patch(&path).json(json!({ "name": name })).into_future())
    };
    let waiting: Vec<_> = (0..6).map(|number| rename(&number.to_string())).collect();
    opened.deployment.database.wait_for_blocked(2).await;
    for service in [&opened.deployment.control[0], &opened.deployment.data[0]] {
        let ready = reqwest::get(format!("{}/readyz", service.ops_url)).await.unwrap();
        assert_eq!(ready.status(), 200, "{}", ready.text().await.unwrap());
    }
    lock.rollback().await.unwrap();
    for renamed in waiting {
        renamed.await.unwrap().expect(200);
    }
}

// X6
#[tokio::test]
async fn without_redis_uploads_and_projects_work_and_statuses_are_unknown() {
    let mut redis = PrivateRedis::start();
    let opened =
        OpenSession::on(Deployment::with(Options { redis_url: redis.url(), ..Options::default() }).await)
            .await;
    redis.kill();
    let read = opened.caller.get(&opened.session.path()).await.expect(200);
    assert_eq!(read.text("/session/status"), "unknown");
    assert_eq!(read.text("/session/projectId"), opened.project);
    create_project(&opened.caller, "Shaft").await;
    opened.session.upload(&opened.model, "a.txt", "a").await.expect(200);
    assert_eq!(opened.added().await.len(), 1);
    // A closed session's grant is refused, although Redis can't report the revocation.
    opened.session.close().await.expect(200);
    assert_snapshot!(opened.session.upload(&opened.model, "b.txt", "b").await, @"401 UNAUTHENTICATED");

    redis.restart();
    let back = Instant::now();
    let second = opened.project.clone();
    let sessions = format!("/api/v2/projects/{second}/sessions");
    eventually_async("sessions are opened again", async || opened.caller.post(&sessions).await.status == 201)
        .await;
    assert!(back.elapsed() < RECOVERY, "{:?}", back.elapsed());
}

// X8
#[tokio::test]
async fn wiping_redis_loses_no_session_no_upload_and_no_revocation() {
    let redis = PrivateRedis::start();
    let opened =
        OpenSession::on(Deployment::with(Options { redis_url: redis.url(), ..Options::default() }).await)
            .await;
    let closed = Session::open(&opened.caller, &opened.project).await;
    closed.close().await.expect(200);
    redis.wipe();
    opened.session.upload(&opened.model, "a.txt", "a").await.expect(200);
    assert_snapshot!(closed.upload(&opened.model, "b.txt", "b").await, @"401 UNAUTHENTICATED");
    eventually_async("the session is registered again", async || {
        opened.caller.get(&opened.session.path()).await.expect(200).text("/session/status") == "idle"
    })
    .await;
}

// X3
#[tokio::test]
async fn without_postgresql_all_answers_are_503_and_answered_work_is_stored_after_its_return() {
    let mut postgres = PrivatePostgres::start();
    let database = Database::on_server(postgres.url(), "template0").await;
    let migrated = migrate_command(&database.url()).output().unwrap();
    assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
    let opened =
        OpenSession::on(Deployment::with(Options { database: Some(database), ..Options::default() }).await)
            .await;
    opened.session.upload(&opened.model, "a.txt", "a").await.expect(200);
    let create = || {
        opened
            .caller
            .post("/api/v2/projects")
            .idempotency_key("k")
            .json(json!({ "name": "Shaft" }))
            .into_future()
    };
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table git_objects in share mode").await.unwrap();
    let torn = tokio::spawn(create());
    opened.deployment.database.wait_for_blocked(1).await;

    postgres.kill();
    assert_snapshot!(torn.await.unwrap(), @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    let started = Instant::now();
    assert_snapshot!(opened.caller.get("/api/v2/projects").await, @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    let refused = opened.session.upload(&opened.model, "b.txt", "b").await;
    assert_snapshot!(refused, @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    for service in [&opened.deployment.control[0], &opened.deployment.data[0]] {
        let (status, report) = readiness(&opened.deployment.http, &service.ops_url).await;
        assert_eq!((status, &report["status"]), (503, &json!("unavailable")), "{report}");
        let health = opened.deployment.http.get(format!("{}/healthz", service.ops_url)).send().await.unwrap();
        assert_eq!(health.status(), 200);
        assert!(!service.process().has_ended());
    }

    postgres.restart();
    let back = Instant::now();
    for service in [&opened.deployment.control[0], &opened.deployment.data[0]] {
        eventually_async("ready", async || {
            readiness(&opened.deployment.http, &service.ops_url).await.0 == 200
        })
        .await;
    }
    assert!(back.elapsed() < RECOVERY, "{:?}", back.elapsed());
    assert_eq!(opened.deployment.database.count("select count(*) from idempotency_records").await, 0);
    assert!(!create().await.expect(201).is_replay());
    assert_eq!(added(&opened.caller, &opened.project).await.len(), 1);
    opened.session.upload(&opened.model, "b.txt", "b").await.expect(200);
}

#[tokio::test]
async fn a_service_on_an_older_schema_becomes_ready_after_the_migration() {
    let database = Database::create_empty().await;
    let url = database.url();
    let deployment = Deployment::with(Options { database: Some(database), ..Options::default() }).await;
    let (status, report) = readiness(&deployment.http, &deployment.control[0].ops_url).await;
    assert_eq!(status, 503, "{report}");
    assert!(migrate_command(&url).output().unwrap().status.success());
    eventually_async("ready", async || {
        readiness(&deployment.http, &deployment.control[0].ops_url).await.0 == 200
    })
    .await;
}

#[tokio::test]
async fn all_threads_of_a_process_share_its_limit_of_connections() {
    let few = vec![("ATELIER_DATABASE_CONNECTIONS", "2".to_owned())];
    let opened =
        OpenSession::on(Deployment::with(Options { environment: few, ..Options::default() }).await).await;
    let reads = join_all((0..64).map(|_| opened.caller.get("/api/v2/projects").into_future()));
    let uploads = join_all((0..8).map(|number| {
        opened.session.upload(&opened.project, &format!("{number}.txt"), "text").into_future()
    }));
    let (reads, uploads) = join(reads, uploads).await;
    assert!(reads.iter().all(|answer| answer.status == 200));
    assert!(uploads.iter().all(|answer| answer.status == 200));
    let connections = "select count(*) from pg_stat_activity \
                       where datname = current_database() and application_name = 'atelier'";
    let open = opened.deployment.database.count(connections).await;
    assert!(open <= 2 * 2, "{open} connections of two processes");
}
