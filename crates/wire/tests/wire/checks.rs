//! The checks of a request, and their order.

use serde_json::json;

use crate::toy::{READER, Server, WRITER, failure, issue};

const PROJECT: &str = "0198c5f0-0000-7000-8000-000000000001";

#[tokio::test]
async fn checks_run_in_their_order() {
    let server = Server::start().await;
    // Every part of this request is wrong; the test corrects one after the other.
    let wrong = |token: Option<&str>| {
        let request =
            server.request("POST", "/api/v2/things?surplus=1").header("Idempotency-Key", "").body("{");
        match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    };
    let code = async |request| failure(request).await.1;
    assert_eq!(code(wrong(None)).await, "UNAUTHENTICATED");
    assert_eq!(code(wrong(Some("nonsense"))).await, "UNAUTHENTICATED");
    assert_eq!(code(wrong(Some("svc_gr_a.b.c"))).await, "CREDENTIAL_NOT_PERMITTED");
    assert_eq!(code(wrong(Some("svc_ak_test_revoked"))).await, "UNAUTHENTICATED");
    assert_eq!(code(wrong(Some(READER))).await, "INSUFFICIENT_SCOPE");
    assert_eq!(issue(wrong(Some(WRITER))).await, "query.surplus: unknown");
    let request = server.request("POST", "/api/v2/things").bearer_auth(WRITER);
    assert_eq!(code(request.header("Idempotency-Key", "").body("{")).await, "INVALID_IDEMPOTENCY_KEY");
    let request = server.request("POST", "/api/v2/things").bearer_auth(WRITER);
    assert_eq!(code(request.body("{")).await, "UNSUPPORTED_MEDIA_TYPE");
    let request = server.request("POST", "/api/v2/things").bearer_auth(WRITER);
    assert_eq!(issue(request.header("Content-Type", "application/json").body("{")).await, "body: syntax");
}

#[tokio::test]
async fn a_missing_credential_is_challenged_and_a_missing_scope_named() {
    let server = Server::start().await;
    let answer = server.request("GET", "/api/v2/things").send().await.unwrap();
    assert_eq!(answer.status(), 401);
    assert_eq!(answer.headers()["www-authenticate"], "Bearer");
    let (status, _, details) = failure(server.request("DELETE", "/api/v2/things").bearer_auth(READER)).await;
    assert_eq!((status, details), (403, json!({ "requiredScope": "projects:write" })));
    let (status, code, _) = failure(server.request("GET", "/api/v2/browser").bearer_auth(WRITER)).await;
    assert_eq!((status, code.as_str()), (403, "CREDENTIAL_NOT_PERMITTED"));
}

#[tokio::test]
async fn a_path_is_decoded_exactly_once() {
    let server = Server::start().await;
    for (sent, project, name) in [
        (format!("{PROJECT}--feature%2Fx/things/a%2Fb"), format!("{PROJECT}--feature/x"), "a/b"),
        (format!("{PROJECT}/things/100%2525"), PROJECT.to_owned(), "100%25"),
        (format!("{PROJECT}/things/a+b%2Bc%20d"), PROJECT.to_owned(), "a+b+c d"),
        (format!("{PROJECT}/things/%C3%BC"), PROJECT.to_owned(), "ü"),
    ] {
        let request = server.request("GET", &format!("/api/v2/projects/{sent}")).bearer_auth(READER);
        let echo: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(echo["path"], json!({ "projectId": project, "name": name }), "{sent}");
    }
    let bad = server.request("GET", "/api/v2/projects/x--main/things/a").bearer_auth(READER);
    assert_eq!(issue(bad).await, "path.projectId: format");
}

#[tokio::test]
async fn an_invalid_query_or_body_is_reported_with_place_and_rule() {
    let server = Server::start().await;
    for (query, expected) in [
        ("count=x", "query.count: type"),
        ("count=1&count=2", "query.count: duplicate"),
        ("other=1", "query.other: unknown"),
    ] {
        let path = format!("/api/v2/projects/{PROJECT}/things/a?{query}");
        assert_eq!(issue(server.request("GET", &path).bearer_auth(READER)).await, expected, "{query}");
    }
    for (body, expected) in [
        (r#"{}"#, "body.name: required"),
        (r#"{"name": 1}"#, "body.name: type"),
        (r#"{"name": "a", "other": 1}"#, "body.other: unknown"),
        (r#"{"name": "a", "name": "b"}"#, "body.name: duplicate"),
        (r#"{"name": "a", "parts": [{"size": 1}, {"size": -1}]}"#, "body.parts[1].size: minimum"),
        (r#"{"name": "a", "parts": [{}]}"#, "body.parts[0].size: required"),
        (r#"[]"#, "body: type"),
        (r#"["a"]"#, "body: type"),
        (r#"{"name": "a"} x"#, "body: syntax"),
        ("", "body: syntax"),
    ] {
        let request = server.request("POST", "/api/v2/things").bearer_auth(WRITER);
        let request = request.header("Content-Type", "application/json; charset=utf-8").body(body);
        assert_eq!(issue(request).await, expected, "{body}");
    }
}

#[tokio::test]
async fn a_query_is_typed_and_an_optional_body_can_be_absent() {
    let server = Server::start().await;
    let path = format!("/api/v2/projects/{PROJECT}/things/a?count=3&text=x%26+y");
    let echo: serde_json::Value =
        server.request("GET", &path).bearer_auth(READER).send().await.unwrap().json().await.unwrap();
    assert_eq!(echo["query"], json!({ "count": 3, "text": "x& y" }));
    let put = || server.request("PUT", "/api/v2/things").bearer_auth(WRITER);
    assert_eq!(put().send().await.unwrap().text().await.unwrap(), "false");
    assert_eq!(put().json(&json!({ "name": "a" })).send().await.unwrap().text().await.unwrap(), "true");
    assert_eq!(failure(put().body("x")).await.1, "UNSUPPORTED_MEDIA_TYPE");
    let delete = || server.request("DELETE", "/api/v2/things").bearer_auth(WRITER);
    assert_eq!(delete().json(&json!({})).send().await.unwrap().status(), 200);
    assert_eq!(issue(delete().json(&json!({ "name": "a" }))).await, "body: unknown");
}

#[tokio::test]
async fn an_idempotency_key_is_one_value_of_1_to_255_printable_characters() {
    let server = Server::start().await;
    let post = |name: &str| {
        server.request("POST", "/api/v2/things").bearer_auth(WRITER).json(&json!({ "name": name }))
    };
    let longest = "k".repeat(255);
    for good in ["k", "a b", longest.as_str()] {
        let answer = post("a").header("Idempotency-Key", good).send().await.unwrap();
        assert_eq!(answer.status(), 201);
        assert!(!answer.headers().contains_key("idempotency-replayed"));
    }
    let too_long = "k".repeat(256);
    for bad in ["", " ", "ü", too_long.as_str()] {
        let (status, code, _) = failure(post("a").header("Idempotency-Key", bad)).await;
        assert_eq!((status, code.as_str()), (400, "INVALID_IDEMPOTENCY_KEY"), "{bad:?}");
    }
    let twice = post("a").header("Idempotency-Key", "a").header("Idempotency-Key", "b");
    assert_eq!(failure(twice).await.1, "INVALID_IDEMPOTENCY_KEY");
    let replay = post("seen before").header("Idempotency-Key", "k").send().await.unwrap();
    assert_eq!(
        (replay.status().as_u16(), &replay.headers()["idempotency-replayed"]),
        (201, &"true".parse().unwrap())
    );
}
