//! Lost packets and silent servers: requests end in bounded time, nothing is half done, and service recovers
//! afterwards.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::json;
use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::database::Database;
use testkit::deployment::{Deployment, Options, Service};
use testkit::environment;
use testkit::events::EventStream;
use testkit::open_session::{OpenSession, eventually_async};
use testkit::proxy::FaultProxy;
use testkit::redis::PrivateRedis;
use testkit::seed::MANAGE_WITH_CARDS;
use testkit::session::{Session, create_project};

/// Longest time to recovery (I10).
const RECOVERY: Duration = Duration::from_secs(10);
/// Time that a busy machine may add.
const BUSY: Duration = Duration::from_secs(4);

/// A session whose services reach PostgreSQL through a proxy.
async fn behind_proxy(mut environment: Vec<(&'static str, String)>) -> (FaultProxy, OpenSession) {
    let database = Database::create().await;
    let proxy = FaultProxy::before(&database.url());
    environment.push(("ATELIER_DATABASE_URL", proxy.url(&database.url())));
    let options = Options { environment, database: Some(database), ..Options::default() };
    (proxy, OpenSession::on(Deployment::with(options).await).await)
}

/// Asserts that a read and an upload are answered as unavailable within `bound`.
async fn assert_unavailable(opened: &OpenSession, bound: Duration) {
    let path = format!("/api/v2/projects/{}", opened.project);
    let (read, upload) = tokio::join!(
        timed(opened.caller.get(&path)),
        timed(opened.session.upload(&opened.model, "new.txt", "new")),
    );
    for (answer, took) in [read, upload] {
        assert_eq!(answer.to_string(), r#"503 UNAVAILABLE {"outcome":"none"}"#);
        assert!(took < bound + BUSY, "{took:?}");
    }
}

/// The answer to a request and its duration.
async fn timed(request: Request) -> (Answer, Duration) {
    let started = Instant::now();
    let answer = request.await;
    (answer, started.elapsed())
}

async fn await_ready(opened: &OpenSession) {
    let started = Instant::now();
    let status = async |service: &Service| {
        opened.deployment.http.get(format!("{}/readyz", service.ops_url)).send().await.unwrap().status()
    };
    for service in [&opened.deployment.control[0], &opened.deployment.data[0]] {
        eventually_async("ready", async || status(service).await == 200).await;
    }
    assert!(started.elapsed() < RECOVERY, "{:?}", started.elapsed());
}

// X36
#[tokio::test]
async fn lost_packets_to_postgresql_cause_503_within_five_seconds_and_no_half_attachments() {
    const BOUND: Duration = Duration::from_secs(5);
    let (proxy, mut opened) = behind_proxy(vec![]).await;
    opened.deployment.leaves_blobs = true;
    let create =
        || opened.caller.post("/api/v2/projects").idempotency_key("k").json(json!({ "name": "Shaft" }));
    // Two transactions wait for PostgreSQL; the others haven't sent anything.
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table git_objects in share mode").await.unwrap();
    lock.execute("select 1 from branches for update", &[]).await.unwrap();
    let torn_creation = tokio::spawn(create().into_future());
    opened.deployment.database.wait_for_blocked(1).await;
    let torn_upload = tokio::spawn(opened.session.upload(&opened.model, "torn.txt", "torn").into_future());
    opened.deployment.database.wait_for_blocked(2).await;

    proxy.lose_packets();
    let lost = Instant::now();
    assert_unavailable(&opened, BOUND).await;
    assert_snapshot!(torn_creation.await.unwrap(), @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    assert!(lost.elapsed() < BOUND + BUSY, "{:?}", lost.elapsed());
    // The data plane has tried to tell the session's followers of its failure, too.
    assert_snapshot!(torn_upload.await.unwrap(), @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    assert!(lost.elapsed() < 2 * BOUND + BUSY, "{:?}", lost.elapsed());

    proxy.mend();
    lock.rollback().await.unwrap();
    await_ready(&opened).await;
    opened.deployment.database.wait_for_quiet().await;
    assert!(opened.added().await.is_empty());
    assert!(!create().await.expect(201).is_replay());
    opened.session.upload(&opened.model, "torn.txt", "torn").await.expect(200);
    assert_eq!(opened.added().await.len(), 1);
}

#[tokio::test]
async fn a_stalled_postgresql_causes_503_in_bounded_time_and_loses_its_connections() {
    /// Limit of a statement here, and the further wait for its answer.
    const BOUND: Duration = Duration::from_secs(2 + 5);
    let (proxy, opened) = behind_proxy(vec![("statement_secs", "2".to_owned())]).await;
    let create =
        || opened.caller.post("/api/v2/projects").idempotency_key("k").json(json!({ "name": "Shaft" }));
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table git_objects in share mode").await.unwrap();
    let torn = tokio::spawn(create().into_future());
    opened.deployment.database.wait_for_blocked(1).await;

    proxy.stall();
    let stalled = Instant::now();
    assert_unavailable(&opened, BOUND).await;
    assert_snapshot!(torn.await.unwrap(), @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    assert!(stalled.elapsed() < BOUND + BUSY, "{:?}", stalled.elapsed());

    lock.rollback().await.unwrap();
    proxy.mend();
    await_ready(&opened).await;
    opened.deployment.database.wait_for_quiet().await;
    assert!(!create().await.expect(201).is_replay());
    opened.session.upload(&opened.model, "new.txt", "new").await.expect(200);
    assert_eq!(opened.added().await.len(), 1);
}

#[tokio::test]
async fn work_continues_during_lost_packets_to_redis_and_sessions_return() {
    let redis_url = environment::redis_url();
    let proxy = FaultProxy::before(&redis_url);
    let options = Options { redis_url: proxy.url(&redis_url), control_replicas: 2, ..Options::default() };
    let open_session = OpenSession::on(Deployment::with(options).await).await;
    let mut events =
        EventStream::open(open_session.caller.get(&format!("{}/events", open_session.session.path()))).await;
    proxy.lose_packets();
    let read = open_session.caller.get(&open_session.session.path()).await.expect(200);
    assert_eq!(read.text("/session/status"), "unknown");
    let opened =
        timed(open_session.caller.post(&format!("/api/v2/projects/{}/sessions", open_session.project))).await;
    assert_snapshot!(opened.0, @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    assert!(opened.1 < BUSY, "{:?}", opened.1);
    open_session.session.upload(&open_session.model, "a.txt", "a").await.expect(200);
    // None is missing, and none comes twice; a slow upload is told of before its objects.
    let ids: Vec<String> = events.until("objects.changed").await.into_iter().map(|event| event.id).collect();
    assert_eq!(ids, (1..=ids.len()).map(|id| id.to_string()).collect::<Vec<_>>());

    proxy.mend();
    let back = Instant::now();
    let other = open_session.caller.at(&open_session.deployment.control_urls[1]);
    for caller in [&open_session.caller, &other] {
        eventually_async("the session is known again", async || {
            caller.get(&open_session.session.path()).await.expect(200).text("/session/status") == "idle"
        })
        .await;
    }
    assert!(back.elapsed() < RECOVERY, "{:?}", back.elapsed());
    Session::open(&other, &open_session.project).await;
}

// X9
#[tokio::test]
async fn a_paused_redis_hardly_delays_cards_in_spite_of_rate_limits() {
    const CARDS: u32 = 20;
    /// Most time of a request in Redis.
    const EACH: Duration = Duration::from_millis(250);
    let redis = PrivateRedis::start();
    let limit = || "100000/100000".to_owned();
    let environment = vec![("ATELIER_RATE_GLOBAL", limit()), ("ATELIER_RATE_KEY", limit())];
    let opened = OpenSession::on(
        Deployment::with(Options { redis_url: redis.url(), environment, ..Options::default() }).await,
    )
    .await;
    let caller = opened.alice.key(MANAGE_WITH_CARDS).await;
    let cards = format!("/api/v2/projects/{}/cards", opened.project);
    redis.pause();
    let started = Instant::now();
    for number in 0..CARDS {
        caller.post(&cards).json(json!({ "name": format!("Card {number}") })).await.expect(201);
    }
    assert!(started.elapsed() < CARDS * EACH + BUSY, "{:?}", started.elapsed());
    let read = opened.caller.get(&opened.session.path()).await.expect(200);
    assert_eq!(read.text("/session/status"), "unknown");

    redis.resume();
    let back = Instant::now();
    eventually_async("the session is known again", async || {
        opened.caller.get(&opened.session.path()).await.expect(200).text("/session/status") == "idle"
    })
    .await;
    assert!(back.elapsed() < RECOVERY, "{:?}", back.elapsed());
}

/// The number of a card's comments.
async fn comments(caller: &Caller, path: &str) -> usize {
    let list = caller.get(path).await.expect(200).json();
    list["comments"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_lost_answer_of_a_commit_is_found_out_by_its_key_and_told_as_unknown_without_one() {
    let (proxy, opened) = behind_proxy(vec![]).await;
    let caller = opened.deployment.operator().user("carl").await.key(MANAGE_WITH_CARDS).await;
    let project = create_project(&caller, "Shaft").await;
    let cards = format!("/api/v2/projects/{project}/cards");
    let card = caller.post(&cards).json(json!({ "name": "a" })).await.expect(201).text("/card/id");
    let path = format!("{cards}/{card}/comments");
    let comment = || caller.post(&path).json(json!({ "body": "Yes." }));
    let lose_answer = async |request: Request| {
        proxy.hold_commit();
        let torn = tokio::spawn(request.into_future());
        proxy.wait_for_held().await;
        proxy.cut();
        proxy.mend();
        torn.await.unwrap()
    };
    let found = lose_answer(comment().idempotency_key("k")).await.expect(201);
    assert!(!found.is_replay());
    assert_eq!(comments(&caller, &path).await, 1);
    let again = comment().idempotency_key("k").await.expect(201);
    assert!(again.is_replay());
    assert_eq!(again.body, found.body);

    assert_snapshot!(lose_answer(comment()).await, @r#"503 UNAVAILABLE {"outcome":"unknown"}"#);
    assert_eq!(comments(&caller, &path).await, 2);
    // Of a batch, which cards with keys form.
    let create = || caller.post(&cards).json(json!({ "name": "b" })).idempotency_key("b");
    let created = lose_answer(create()).await.expect(201);
    assert!(!created.is_replay());
    let again = create().await.expect(201);
    assert!(again.is_replay());
    assert_eq!(again.body, created.body);
    // An upload is found by its id.
    lose_answer(opened.session.upload(&opened.model, "a.txt", "a")).await.expect(200);
    proxy.hold_commit();
    let torn = tokio::spawn(opened.session.upload(&opened.model, "b.txt", "b").into_future());
    proxy.wait_for_held().await;
    proxy.cut();
    assert_snapshot!(torn.await.unwrap(), @r#"503 UNAVAILABLE {"outcome":"unknown"}"#);
    proxy.mend();
    assert_eq!(opened.added().await.len(), 2);
    // A change tells by its expected head.
    let head = caller.get(&format!("{cards}/{card}")).await.expect(200).text("/historyHeadId");
    let change = || {
        let change = caller.patch(&format!("{cards}/{card}")).json(json!({ "name": "c" }));
        change.header("if-match", &head)
    };
    assert_snapshot!(lose_answer(change()).await, @r#"503 UNAVAILABLE {"outcome":"unknown"}"#);
    let repeated = change().await;
    assert_eq!(repeated.status, 200, "{repeated}");
    assert_ne!(repeated.text("/historyHeadId"), head);
}

#[tokio::test]
async fn waiters_for_one_held_row_leave_connections_to_other_requests() {
    const WAITERS: i64 = 40;
    let opened = OpenSession::own().await;
    let caller = opened.deployment.operator().user("carl").await.key(MANAGE_WITH_CARDS).await;
    let project = create_project(&caller, "Shaft").await;
    let cards = format!("/api/v2/projects/{project}/cards");
    let card = caller.post(&cards).json(json!({ "name": "a" })).await.expect(201).text("/card/id");
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select 1 from cards for update", &[]).await.unwrap();
    let change = |number: i64| {
        let change = caller.patch(&format!("{cards}/{card}")).json(json!({ "effort": number }));
        tokio::spawn(change.into_future())
    };
    let changes: Vec<_> = (1..=WAITERS).map(change).collect();
    opened.deployment.database.wait_for_blocked(4).await;
    for _ in 0..10 {
        caller.get("/api/v2/me").await.expect(200);
    }
    eventually_async("only a few wait with a connection", async || {
        let blocked = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' \
                       and datname = current_database()";
        opened.deployment.database.count(blocked).await <= 4
    })
    .await;
    lock.rollback().await.unwrap();
    for change in changes {
        change.await.unwrap().expect(200);
    }
}
