//! Attempts of attackers and unlucky clients: races, foreign ids, and values that no correct client sends.

use futures_util::future::{join, join_all};
use insta::assert_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::open_session::OpenSession;
use testkit::raw::Connection;
use testkit::seed::{ABSENT_ID, MANAGE};
use testkit::session::{Session, create_project};

/// Path of the user's project.
fn project_path(opened: &OpenSession) -> String {
    format!("/api/v2/projects/{}", opened.project)
}

#[tokio::test]
async fn one_idempotency_key_for_the_rotation_of_two_keys_rotates_both() {
    let opened = OpenSession::own().await;
    let browser = opened.alice.browser().await;
    let (one, two) = (opened.alice.issue(MANAGE, &[]).await, opened.alice.issue(MANAGE, &[]).await);
    let rotate = async |id: &str| {
        browser.post(&format!("/api/v2/api-keys/{id}/rotate")).idempotency_key("k").json(json!({})).await
    };
    let (first, second) = (rotate(&one.id).await.expect(201), rotate(&two.id).await.expect(201));
    assert!(!second.is_replay());
    assert_ne!(first.text("/apiKey/id"), second.text("/apiKey/id"));
    for successor in [&first, &second] {
        browser.with(&successor.text("/key")).get("/api/v2/me").await.expect(200);
    }
    for rotated in [&one, &two] {
        assert_eq!(rotated.caller.get("/api/v2/me").await.status, 401);
    }
    let again = rotate(&one.id).await.expect(201);
    assert!(again.is_replay());
    assert_eq!(again.text("/apiKey/id"), first.text("/apiKey/id"));
    // A foreign key is answered like an absent one.
    let eve = opened.deployment.operator().user("eve").await.browser().await;
    for id in [one.id.as_str(), ABSENT_ID] {
        let path = format!("/api/v2/api-keys/{id}/rotate");
        assert_eq!(eve.post(&path).json(json!({})).await.to_string(), "404 NOT_FOUND");
    }
}

#[tokio::test]
async fn the_grants_of_a_key_end_with_its_rotation_without_grace() {
    let opened = OpenSession::own().await;
    let browser = opened.alice.browser().await;
    for (grace, expected) in [(3600, "200"), (0, "401")] {
        let key = opened.alice.issue(MANAGE, &[]).await;
        let session = Session::open(&key.caller, &opened.project).await;
        let rotation = browser.post(&format!("/api/v2/api-keys/{}/rotate", key.id));
        rotation.json(json!({ "graceSeconds": grace })).await.expect(201);
        let status = session.upload(&opened.project, "a.txt", "a").await.status;
        assert_eq!(status.to_string(), expected, "{grace} s of grace");
        assert_eq!(key.caller.get("/api/v2/me").await.status.to_string(), expected);
    }
}

#[tokio::test]
async fn a_session_opened_during_its_projects_deletion_gets_not_found() {
    let opened = OpenSession::own().await;
    let mut client = opened.deployment.database.connect().await;
    let deletion = client.transaction().await.unwrap();
    deletion.batch_execute(&format!("delete from projects where id = '{}'", opened.project)).await.unwrap();
    let opening =
        tokio::spawn(opened.caller.post(&format!("{}/sessions", project_path(&opened))).into_future());
    opened.deployment.database.wait_for_blocked(1).await;
    deletion.commit().await.unwrap();
    assert_snapshot!(opening.await.unwrap(), @"404 NOT_FOUND");
    assert_eq!(opened.deployment.database.count("select count(*) from sessions").await, 0);
}

#[tokio::test]
async fn a_project_is_deleted_during_uploads_and_sessions_without_failures() {
    let mut opened = OpenSession::own().await;
    opened.deployment.leaves_blobs = true;
    opened.caller.delete(&project_path(&opened)).await.expect(200);
    for round in 0..6 {
        let project = create_project(&opened.caller, &format!("Doomed {round}")).await;
        let session = Session::open(&opened.caller, &project).await;
        let path = format!("/api/v2/projects/{project}");
        let uploads =
            join_all((0..6).map(|n| session.upload(&project, "a.txt", format!("{n}")).into_future()));
        let sessions =
            join_all((0..4).map(|_| opened.caller.post(&format!("{path}/sessions")).into_future()));
        let deletion = opened.caller.delete(&path).into_future();
        let (uploads, (sessions, deletion)) = join(uploads, join(sessions, deletion)).await;
        deletion.expect(200);
        for answer in uploads {
            assert!([200, 401, 404].contains(&answer.status), "{answer}");
        }
        for answer in sessions {
            assert!([201, 404].contains(&answer.status), "{answer}");
        }
        opened.caller.get(&path).await.expect(404);
    }
    for table in ["sessions", "files", "applied_uploads", "working_changes"] {
        assert_eq!(
            opened.deployment.database.count(&format!("select count(*) from {table}")).await,
            0,
            "{table}"
        );
    }
}

#[tokio::test]
async fn of_two_concurrent_changes_the_later_answer_shows_both() {
    let opened = OpenSession::own().await;
    let mut client = opened.deployment.database.connect().await;
    let lock = client.transaction().await.unwrap();
    lock.batch_execute("select from projects for update").await.unwrap();
    let change =
        |body: Value| tokio::spawn(opened.caller.patch(&project_path(&opened)).json(body).into_future());
    let renaming = change(json!({ "name": "Shaft" }));
    let describing = change(json!({ "description": "Turns." }));
    opened.deployment.database.wait_for_blocked(2).await;
    lock.rollback().await.unwrap();
    let shows_both = |answer: &Answer| {
        answer.text("/project/name") == "Shaft" && answer.text("/project/description") == "Turns."
    };
    let answers = [renaming.await.unwrap().expect(200), describing.await.unwrap().expect(200)];
    assert!(answers.iter().any(shows_both), "{} {}", answers[0], answers[1]);
    assert!(shows_both(&opened.caller.get(&project_path(&opened)).await));
}

#[tokio::test]
async fn the_answer_to_a_change_is_never_304() {
    let opened = OpenSession::own().await;
    for tag in ["*", opened.caller.get(&project_path(&opened)).await.header("etag")] {
        let change = opened.caller.patch(&project_path(&opened)).json(json!({ "name": "Gear" }));
        let answer = change.header("if-none-match", tag).await.expect(200);
        assert_eq!(answer.text("/project/name"), "Gear");
    }
}

#[tokio::test]
async fn a_key_lists_exactly_what_its_confinement_allows() {
    let opened = OpenSession::own().await;
    let browser = opened.alice.browser().await;
    // A user's id among the organizations' matches nothing.
    let body = json!({ "name": "x", "scopes": MANAGE, "orgIds": [opened.alice.id] });
    let issued = browser.post("/api/v2/api-keys").json(body).await.expect(201);
    let confined = browser.with(&issued.text("/key"));
    assert_snapshot!(confined.get(&project_path(&opened)).await, @"404 NOT_FOUND");
    assert_snapshot!(
        confined.get("/api/v2/projects").await,
        @r#"200 {"meta":{"hasMore":false,"limit":50,"nextCursor":null},"projects":[]}"#
    );
    assert_snapshot!(
        confined.get("/api/v2/orgs").await,
        @r#"200 {"meta":{"hasMore":false,"limit":50,"nextCursor":null},"organizations":[]}"#
    );
    let create =
        confined.post("/api/v2/projects").json(json!({ "name": "x", "orgId": opened.alice.id })).await;
    assert_snapshot!(create, @"400 INVALID_REQUEST body.orgId exists");
}

#[tokio::test]
async fn a_repeated_creation_of_a_closed_session_opens_nothing() {
    let opened = OpenSession::own().await;
    let create = || opened.caller.post(&format!("{}/sessions", project_path(&opened))).idempotency_key("k");
    let first = create().await.expect(201);
    let session = format!("{}/sessions/{}", project_path(&opened), first.text("/sessionId"));
    opened.caller.delete(&session).await.expect(200);
    let second = create().await.expect(201);
    assert!(second.is_replay());
    assert_eq!(second.text("/sessionId"), first.text("/sessionId"));
    let read = opened.caller.get(&session).await.expect(200);
    assert_eq!(read.text("/session/status"), "no_session");
    let grant = opened.caller.at(&second.text("/dataPlane/url")).with(&second.text("/dataPlane/token"));
    let path = format!(
        "/api/v1/file/download/{}/me/{}/{}/{ABSENT_ID}.txt",
        opened.alice.id,
        opened.project,
        second.text("/dataPlane/connectionId")
    );
    assert_snapshot!(grant.get(&path).await, @"401 UNAUTHENTICATED");
    // After the project's deletion, the session's creation can't be repeated either.
    opened.caller.delete(&project_path(&opened)).await.expect(200);
    assert_snapshot!(create().await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_member_who_loses_a_project_loses_its_sessions_and_grants() {
    let opened = OpenSession::own().await;
    let operator = opened.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &opened.project, "editor").await;
    let key = bob.key(MANAGE).await;
    let session = Session::open(&key, &opened.project).await;
    session.upload(&opened.project, "a.txt", "a").await.expect(200);
    operator.remove_member(&bob, "--project", &opened.project).await;
    // The membership's end closes the session.
    assert_snapshot!(session.upload(&opened.project, "a.txt", "a").await, @"401 UNAUTHENTICATED");
    assert_snapshot!(key.get(&session.path()).await, @"404 NOT_FOUND");
    assert_snapshot!(key.post(&format!("{}/grant", session.path())).await, @"404 NOT_FOUND");
    assert_snapshot!(key.post(&format!("{}/stop", session.path())).await, @"404 NOT_FOUND");
    assert_snapshot!(session.close().await, @"404 NOT_FOUND");
    // A session that a reader has had as an editor only reads.
    operator.add_member(&bob, "--project", &opened.project, "editor").await;
    let session = Session::open(&key, &opened.project).await;
    operator.add_member(&bob, "--project", &opened.project, "viewer").await;
    assert_snapshot!(session.upload(&opened.project, "a.txt", "a").await, @"403 FORBIDDEN");
    assert_snapshot!(key.post(&format!("{}/grant", session.path())).await, @"403 FORBIDDEN");
}

#[tokio::test]
async fn a_cursor_of_another_user_reveals_nothing() {
    let opened = OpenSession::own().await;
    create_project(&opened.caller, "Second").await;
    let page = opened.caller.get("/api/v2/projects?limit=1").await.expect(200);
    let cursor = page.text("/meta/nextCursor");
    let bob = opened.deployment.operator().user("bob").await.key(MANAGE).await;
    let own = create_project(&bob, "Of Bob").await;
    // A cursor is only a position; the credential determines the list.
    let seen = bob.get(&format!("/api/v2/projects?cursor={cursor}")).await.expect(200).json();
    let ids: Vec<&str> =
        seen["projects"].as_array().unwrap().iter().map(|p| p["id"].as_str().unwrap()).collect();
    assert!(ids.iter().all(|id| *id == own), "{ids:?}");
    for query in ["q=x", &format!("ownerId={}", opened.alice.id)] {
        let other = opened.caller.get(&format!("/api/v2/projects?{query}&cursor={cursor}")).await;
        assert_eq!(other.to_string(), "400 INVALID_PAGINATION", "{query}");
    }
    let sessions = opened.caller.get(&format!("{}/sessions?cursor={cursor}", project_path(&opened))).await;
    assert_snapshot!(sessions, @"400 INVALID_PAGINATION");
}

#[tokio::test]
async fn an_id_is_read_in_any_case_and_decoded_once() {
    let opened = OpenSession::own().await;
    let upper = opened.project.to_uppercase();
    let coded = opened.project.replace('-', "%2D");
    let doubly = opened.project.replace('-', "%252D");
    for id in [&coded, &upper, &format!("{upper}--main"), &format!("{}%2D%2Dmain", opened.project)] {
        let read = opened.caller.get(&format!("/api/v2/projects/{id}")).await.expect(200);
        assert_eq!(read.text("/project/id"), opened.project);
    }
    let read = opened.caller.get(&format!("/api/v2/projects/{doubly}")).await;
    assert_eq!(read.to_string(), "400 INVALID_REQUEST path.projectId format");
    // All spellings are the same parent of an idempotency key.
    let open = async |id: &str| {
        opened.caller.post(&format!("/api/v2/projects/{id}/sessions")).idempotency_key("k").await.expect(201)
    };
    let first = open(&opened.project).await;
    for spelling in [&coded, &upper] {
        let second = open(spelling).await;
        assert_eq!(first.text("/sessionId"), second.text("/sessionId"));
        assert!(second.is_replay());
    }
}

#[tokio::test]
async fn any_path_or_query_gets_at_worst_a_client_error() {
    let opened = OpenSession::own().await;
    let session = Session::open(&opened.caller, &opened.project).await;
    let long = "x".repeat(4_000);
    let hostile = [
        "%00",
        "%FF",
        "%C0%80",
        "%2e%2e",
        "..%2f..",
        "%0d%0aX:%20y",
        "'%3B--",
        "%F0%9F%98%80",
        "--",
        "*",
        "%25",
        "%7B%7D",
        "null",
        "-1",
        "%E2%80%AE",
        &long,
    ];
    let Session { project, connection, owner, .. } = &session;
    for value in hostile {
        let on_control = [
            format!("/api/v2/projects/{value}"),
            format!("/api/v2/projects/{project}--{value}"),
            format!("/api/v2/projects/{project}--{value}/tree"),
            format!("/api/v2/projects/{project}/branches/{value}/changes"),
            format!("/api/v2/projects/{project}/sessions/{value}"),
            format!("/api/v2/projects/{project}/packages?branch={value}"),
            format!("/api/v2/projects?limit={value}"),
            format!("/api/v2/projects?cursor={value}"),
            format!("/api/v2/projects?ownerId={value}"),
            format!("/api/v2/projects?{value}=1"),
            format!("/api/v2/orgs/{value}"),
            format!("/{value}"),
        ];
        for path in on_control {
            let answer = opened.caller.get(&path).await;
            // Clients resolve dot segments, and the root is the index.
            let is_root = answer.status == 200 && path == "/%2e%2e";
            assert!(is_root || [400, 404, 405].contains(&answer.status), "{path}: {answer}");
        }
        // A search may contain anything except NUL.
        let searched = opened.caller.get(&format!("/api/v2/projects?q={value}")).await;
        assert!([200, 400].contains(&searched.status), "{value}: {searched}");
        let on_data = [
            format!("{value}/me/{project}/{connection}/{ABSENT_ID}.txt"),
            format!("{owner}/{value}/{project}/{connection}/{ABSENT_ID}.txt"),
            format!("{owner}/me/{value}/{connection}/{ABSENT_ID}.txt"),
            format!("{owner}/me/{project}/{value}/{ABSENT_ID}.txt"),
            format!("{owner}/me/{project}/headless-{value}/{ABSENT_ID}.txt"),
            format!("{owner}/me/{project}/{connection}/{value}"),
            format!("{owner}/me/{project}/{connection}/{ABSENT_ID}.{value}"),
        ];
        for path in on_data {
            let answer = session.grant.get(&format!("/api/v1/file/download/{path}")).await;
            assert!([400, 404].contains(&answer.status), "{path}: {answer}");
        }
    }
    let longer_than_any_head = "x".repeat(200_000);
    for (caller, path) in [(&opened.caller, "/api/v2/projects?q="), (&session.grant, "/api/v1/file/")] {
        let mut connection = Connection::open(&caller.url).await;
        connection.send(format!("GET {path}{longer_than_any_head} HTTP/1.1\r\nhost: x\r\n\r\n")).await;
        if let Some(answer) = connection.try_answer().await {
            assert!((400..500).contains(&answer.status), "{answer}");
        }
    }
}

#[tokio::test]
async fn any_body_gets_at_worst_a_client_error() {
    let opened = OpenSession::own().await;
    let browser = opened.alice.browser().await;
    let create =
        async |body: String| opened.caller.post("/api/v2/projects").body("application/json", body).await;
    let deep = format!("{{\"name\":{}", "[".repeat(100_000));
    for body in [
        r#"{"name":"a","description":"\u0000"}"#,
        r#"{"initialPrompt":"\u0000"}"#,
        r#"{"name":"\u0000\u0007\u200b"}"#,
        r#"{"name":"\ud800"}"#,
        r#"{"name":"a","name":"b"}"#,
        r#"{"name":1e999}"#,
        r#"{"name":null}"#,
        r#"{"name":"a","orgId":null,"visibility":"secret"}"#,
        r#"{"name":"a","__proto__":{}}"#,
        "[]",
        "null",
        "\"name\"",
        "",
        "\u{feff}{\"name\":\"a\"}",
        &deep,
    ] {
        let answer = create(body.to_owned()).await;
        assert_eq!(answer.status, 400, "{}: {answer}", body.chars().take(60).collect::<String>());
    }
    create("{\"name\":\"a\\u0000b\"}".to_owned()).await.expect(201);
    let bytes =
        opened.caller.post("/api/v2/projects").body("application/json", b"{\"name\":\"\xff\"}".to_vec());
    bytes.await.expect(400);
    for time in [
        "9999-12-31T23:59:59Z",
        "0000-01-01T00:00:00Z",
        "-0001-01-01T00:00:00Z",
        "+275760-09-13T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2027-01-01T24:00:00Z",
        "2027-02-29",
        "\0",
        "",
    ] {
        let body = json!({ "name": "x", "scopes": ["projects:read"], "expiresAt": time });
        let answer = browser.post("/api/v2/api-keys").json(body).await;
        assert_eq!(answer.to_string().split(' ').next(), Some("400"), "{time}");
    }
}

#[tokio::test]
async fn head_equals_get_without_the_body_for_every_read() {
    let opened = OpenSession::own().await;
    let session = Session::open(&opened.caller, &opened.project).await;
    for path in [
        "/api/v2/me".to_owned(),
        "/api/v2/projects".to_owned(),
        "/api/v2/openapi.json".to_owned(),
        project_path(&opened),
        format!("{}/tree", project_path(&opened)),
        format!("{}/branches/main/changes", project_path(&opened)),
        session.path(),
        format!("/api/v2/projects/{ABSENT_ID}"),
        "/api/v2/nothing".to_owned(),
    ] {
        let (get, head) = join(
            opened.caller.get(&path).into_future(),
            opened.caller.request(Method::HEAD, &path).into_future(),
        )
        .await;
        assert_eq!(head.status, get.status, "{path}");
        assert!(head.body.is_empty(), "{path}");
        for header in ["content-type", "content-length", "etag", "cache-control"] {
            assert_eq!(head.header(header), get.header(header), "{path}: {header}");
        }
    }
    let head = opened.caller.head(&format!("{}/stop", session.path())).await;
    assert_eq!((head.status, head.header("allow")), (405, "POST"));
}
