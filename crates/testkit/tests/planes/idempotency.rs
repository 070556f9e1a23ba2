//! `Idempotency-Key`: one key has one effect, under waits, crashes and retries.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::deployment::{Deployment, Options};
use testkit::seed::{ABSENT_ID, MANAGE};
use testkit::session::create_project;

// X13
#[tokio::test]
async fn fifty_concurrent_requests_with_one_key_create_one_project_with_equal_answers() {
    let deployment = Deployment::with(Options { control_replicas: 2, ..Options::default() }).await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let answers = join_all((0..50).map(|number| {
        let caller = caller.at(&deployment.control_urls[number % 2]);
        let body = json!({ "name": "Gear", "description": format!("of request {number}") });
        caller.post("/api/v2/projects").idempotency_key("one").json(body).into_future()
    }))
    .await;

    assert!(
        answers.iter().all(|answer| answer.status == 201),
        "{}",
        answers.iter().find(|a| a.status != 201).unwrap()
    );
    let first = answers[0].text("/id");
    assert!(answers.iter().all(|answer| answer.text("/id") == first));
    assert_eq!(answers.iter().filter(|answer| answer.is_replay()).count(), 49);
    assert_eq!(deployment.database.count("select count(*) from projects").await, 1);
    assert_eq!(deployment.database.count("select count(*) from git_objects where kind = 'commit'").await, 1);
}

// X14
#[tokio::test]
async fn a_repeat_gets_the_first_result_even_with_another_body() {
    let deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let create =
        |name: &str| caller.post("/api/v2/projects").idempotency_key("k").json(json!({ "name": name }));
    let first = create("Gear").await;
    assert_snapshot!(first, @r#"
    201 {"id":"<id 1>","key":"GEAR","ownerId":"<id 2>","ownerSlug":"alice","projectSlug":"gear"}
    "#);
    let second = create("Shaft").await;
    assert_snapshot!(
        second,
        @r#"201 replayed {"id":"<id 1>","key":"GEAR","ownerId":"<id 2>","ownerSlug":"alice","projectSlug":"gear"}"#
    );
    assert_eq!(first.body, second.body);

    // A project's creation is remembered forever, even after its deletion.
    caller.delete(&format!("/api/v2/projects/{}", first.text("/id"))).await.expect(200);
    assert_eq!(create("Gear").await.body, first.body);
    assert_eq!(deployment.database.count("select count(*) from projects").await, 0);
    let kept = "select count(*) from idempotency_records where expires_at is null";
    assert_eq!(deployment.database.count(kept).await, 1);
}

// X15
#[tokio::test]
async fn a_key_is_scoped_to_credential_operation_and_parents() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await;
    let (one, other, browser) = (alice.key(MANAGE).await, alice.key(MANAGE).await, alice.browser().await);
    let mut ids = Vec::new();
    for caller in [&one, &other, &browser] {
        let created =
            caller.post("/api/v2/projects").idempotency_key("k").json(json!({ "name": "Gear" })).await;
        assert!(!created.is_replay());
        ids.push(created.expect(201).text("/id"));
    }
    assert_eq!(deployment.database.count("select count(*) from projects").await, 3);
    // Two browser tokens of one user share a scope.
    let again = alice
        .browser()
        .await
        .post("/api/v2/projects")
        .idempotency_key("k")
        .json(json!({ "name": "x" }))
        .await;
    assert!(again.is_replay());
    assert_eq!(again.text("/id"), ids[2]);

    let session = async |project: &str| {
        one.post(&format!("/api/v2/projects/{project}/sessions"))
            .idempotency_key("k")
            .json(json!({}))
            .await
            .expect(201)
    };
    let (first, second) = (session(&ids[0]).await, session(&ids[1]).await);
    assert!(!first.is_replay() && !second.is_replay());
    assert_ne!(first.text("/sessionId"), second.text("/sessionId"));
    assert!(session(&ids[0]).await.is_replay());
}

// X15
#[tokio::test]
async fn a_key_used_on_one_branch_is_new_on_another() {
    let deployment = Deployment::shared();
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let project = create_project(&caller, "Gear").await;
    let at = |path: &str| format!("/api/v2/projects/{project}{path}");
    caller.post(&at("/branches")).json(json!({ "name": "dev" })).await.expect(201);
    let send = |path: &str, body: &Value| {
        caller.post(&at(path)).idempotency_key("k").json(body.clone()).into_future()
    };
    let object = json!({ "name": "Gear" });
    let batch = json!({ "operations": [{ "op": "create", "name": "Wheel" }] });
    let commit = json!({ "message": "Go on" });
    for (on_main, on_dev, body) in [
        ("/objects", "--dev/objects", object),
        ("/objects/batch", "--dev/objects/batch", batch),
        ("/branches/main/commits", "/branches/dev/commits", commit),
        ("/sessions", "--dev/sessions", json!({})),
    ] {
        let first = send(on_main, &body).await.expect(201);
        let other = send(on_dev, &body).await.expect(201);
        assert!(!first.is_replay() && !other.is_replay(), "{on_dev}");
        assert!(send(on_main, &body).await.is_replay() && send(on_dev, &body).await.is_replay(), "{on_dev}");
    }
    // The name of the branch in the path doesn't matter.
    assert!(send("--main/objects", &json!({ "name": "Gear" })).await.expect(201).is_replay());
}

// X15
#[tokio::test]
async fn a_key_has_1_to_255_printable_characters() {
    let deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let create =
        |key: &str| caller.post("/api/v2/projects").idempotency_key(key).json(json!({ "name": "Gear" }));
    for refused in ["", " ", &"k".repeat(256), "a\tb", "é"] {
        assert_eq!(create(refused).await.to_string(), "400 INVALID_IDEMPOTENCY_KEY");
    }
    create(&"k".repeat(255)).await.expect(201);
    create("a b").await.expect(201);
    let two = create("one").header("idempotency-key", "two").await;
    assert_snapshot!(two, @"400 INVALID_IDEMPOTENCY_KEY");
    assert_eq!(deployment.database.count("select count(*) from projects").await, 2);
}

// X16
#[tokio::test]
async fn a_request_that_failed_before_its_start_does_not_use_up_its_key() {
    let deployment = Deployment::with(Options {
        environment: vec![("ATELIER_PROJECT_LIMIT", "1".to_owned())],
        ..Options::default()
    })
    .await;
    let alice = deployment.operator().user("alice").await;
    let caller = alice.key(MANAGE).await;
    let create = |body| caller.post("/api/v2/projects").idempotency_key("k").json(body);
    assert_snapshot!(create(json!({ "nmae": "Gear" })).await, @"400 INVALID_REQUEST body.nmae unknown");
    let anonymous = deployment
        .anonymous()
        .post("/api/v2/projects")
        .idempotency_key("k")
        .json(json!({ "name": "Gear" }))
        .await;
    assert_snapshot!(anonymous, @"401 UNAUTHENTICATED");
    let nowhere = ABSENT_ID;
    assert_snapshot!(
        create(json!({ "name": "Gear", "orgId": nowhere })).await,
        @"400 INVALID_REQUEST body.orgId exists"
    );
    let other = create_project(&caller, "Other").await;
    assert_eq!(create(json!({ "name": "Gear" })).await.code(), "PROJECT_LIMIT_REACHED");
    caller.delete(&format!("/api/v2/projects/{other}")).await.expect(200);

    let fixed = create(json!({ "name": "Gear" })).await.expect(201);
    assert!(!fixed.is_replay());
    assert!(create(json!({ "name": "Gear" })).await.is_replay());
}

#[tokio::test]
async fn a_second_request_waits_for_the_first_for_a_limited_time() {
    let deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let mut blocker = deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    // Creation has written its claim of the key and the project's row, but not its Git objects.
    lock.batch_execute("lock table git_objects in share mode").await.unwrap();
    let create =
        || caller.post("/api/v2/projects").idempotency_key("k").json(json!({ "name": "Gear" })).into_future();
    let first = tokio::spawn(create());
    deployment.database.wait_for_blocked(1).await;
    let second = tokio::spawn(create());
    deployment.database.wait_for_blocked(2).await;
    // The first is rolled back after its lock timeout. The second may then succeed.
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    lock.rollback().await.unwrap();
    for answer in [&first, &second] {
        let known = matches!(
            (answer.status, answer.code().as_str()),
            (409, "IDEMPOTENCY_IN_PROGRESS") | (503, "UNAVAILABLE")
        );
        assert!(known, "{answer}");
    }
    assert_eq!(deployment.database.count("select count(*) from idempotency_records").await, 0);
    assert!(!create().await.expect(201).is_replay());
}
