//! HTTP: both planes answer every failure in the error envelope.

use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::check_envelope;
use testkit::raw::Connection;
use testkit::session::create_project;

use testkit::open_session::OpenSession;

#[tokio::test]
async fn every_error_has_the_envelope_and_its_status_on_both_planes() {
    let opened = OpenSession::own().await;
    let (control, data) = (&opened.caller, &opened.session.grant);
    for caller in [control, data] {
        // Where the documents are is told, too.
        for path in ["/nothing", "/api/v2/nothing", "/api/v1/nothing"] {
            let answer = caller.get(path).await.expect(404).to_string();
            assert!(answer.starts_with("404 NOT_FOUND {\"openapi\":\"/api/v"), "{path}: {answer}");
        }
        caller.post("/api/v2/%00").await.expect(404);
    }
    assert_snapshot!(
        control.request(reqwest::Method::PUT, "/api/v2/projects").await,
        @r#"405 METHOD_NOT_ALLOWED {"allow":"GET, HEAD, POST"}"#
    );
    assert_snapshot!(
        control.request(reqwest::Method::TRACE, "/api/v2/me").await,
        @r#"405 METHOD_NOT_ALLOWED {"allow":"GET, HEAD, PATCH"}"#
    );
    assert_snapshot!(
        data.get(&opened.session.upload_path(&opened.model)).await,
        @r#"405 METHOD_NOT_ALLOWED {"allow":"POST"}"#
    );

    let post = || control.post("/api/v2/projects");
    assert_snapshot!(post().body("application/json", "{").await, @"400 INVALID_REQUEST body syntax");
    assert_snapshot!(post().body("application/json", "").await, @"400 INVALID_REQUEST body syntax");
    assert_snapshot!(post().body("application/json", r#"{"name":"a"} x"#).await, @"400 INVALID_REQUEST body syntax");
    assert_snapshot!(
        post().body("application/json", r#"{"name":"a","name":"b"}"#).await,
        @"400 INVALID_REQUEST body.name duplicate"
    );
    assert_snapshot!(
        post().body("application/json", b"{\"name\":\"\xff\"}".to_vec()).await,
        @"400 INVALID_REQUEST body syntax"
    );
    assert_snapshot!(post().body("text/plain", "{}").await, @"415 UNSUPPORTED_MEDIA_TYPE");
    assert_snapshot!(post().await, @"415 UNSUPPORTED_MEDIA_TYPE");
    let large = format!(r#"{{"name":"{}"}}"#, "x".repeat(1024 * 1024));
    assert_snapshot!(post().body("application/json", large).await, @r#"413 PAYLOAD_TOO_LARGE {"limitBytes":1048576}"#);
    let deep = format!("{{\"name\":{}", "[".repeat(100_000));
    assert_snapshot!(post().body("application/json", deep).await, @"400 INVALID_REQUEST body.name type");
    // An array of an object's values is not an object.
    let positional = r#"["Gear",null,null,null,null,null,null]"#;
    assert_snapshot!(post().body("application/json", positional).await, @"400 INVALID_REQUEST body type");
    assert_snapshot!(control.get("/api/v2/me?x=1").await, @"400 INVALID_REQUEST query.x unknown");
    assert_snapshot!(
        control.delete(&format!("/api/v2/projects/{}", opened.project)).json(json!({ "x": 1 })).await,
        @"400 INVALID_REQUEST body unknown"
    );
    assert_eq!(opened.deployment.database.count("select count(*) from projects").await, 1);
}

#[tokio::test]
async fn malformed_http_is_answered_in_the_envelope() {
    let opened = OpenSession::open().await;
    for url in [&opened.caller.url, &opened.session.grant.url] {
        for (sent, status) in [
            ("GARBAGE\r\n\r\n".to_owned(), 400),
            ("GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n".to_owned(), 400),
            (format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "x".repeat(1024 * 1024)), 431),
        ] {
            let mut connection = Connection::open(url).await;
            connection.send(&sent).await;
            let answer = connection.answer().await;
            assert!(answer.status == status || answer.status == 400, "{answer}");
            check_envelope(&answer);
        }
    }
}

#[tokio::test]
async fn a_valid_request_id_is_echoed_and_another_is_replaced() {
    let opened = OpenSession::open().await;
    for (sent, echoed) in [("my-request.1", true), ("", false), ("a b", false), (&"x".repeat(300), false)] {
        let answer = opened.caller.get("/api/v2/me").header("x-request-id", sent).await.expect(200);
        assert_eq!(answer.header("x-request-id") == sent, echoed, "{sent}");
    }
    let failed = opened.caller.get("/api/v2/nothing").header("x-request-id", "my-request").await;
    assert_eq!(failed.header("x-request-id"), "my-request");
    let (one, two) = (opened.caller.get("/api/v2/me").await, opened.caller.get("/api/v2/me").await);
    assert_ne!(one.header("x-request-id"), two.header("x-request-id"));
}

#[tokio::test]
async fn answers_are_neither_cached_nor_sniffed() {
    let opened = OpenSession::open().await;
    let answers = [
        opened.caller.get("/api/v2/me").await.expect(200),
        opened.caller.get("/api/v2/nothing").await.expect(404),
        opened.caller.post("/api/v2/projects").json(json!({ "name": "x" })).await.expect(201),
    ];
    for answer in answers {
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert!(["no-store", "private, no-cache"].contains(&answer.header("cache-control")), "{answer}");
        assert!(answer.header("server").is_empty() && answer.header("x-powered-by").is_empty());
    }
}

#[tokio::test]
async fn a_stopping_service_answers_its_current_requests_and_exits() {
    let mut opened = OpenSession::own().await;
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table git_objects in share mode").await.unwrap();
    let caller = opened.caller.clone();
    let under_way = tokio::spawn(async move { create_project(&caller, "Shaft").await });
    opened.deployment.database.wait_for_blocked(1).await;
    opened.deployment.control[0].ask_to_end();
    opened.deployment.data[0].ask_to_end();
    lock.rollback().await.unwrap();
    under_way.await.unwrap();
    assert_eq!(opened.deployment.control[0].wait_for_end(), Some(0));
    assert_eq!(opened.deployment.data[0].wait_for_end(), Some(0));
    assert_eq!(opened.deployment.database.count("select count(*) from projects").await, 2);
}
