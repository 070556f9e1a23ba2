//! Failures, and the headers of every answer.

use serde_json::{Value, json};

use crate::raw::{Raw, code};
use crate::toy::{READER, Server, WRITER, failure};

#[tokio::test]
async fn an_unknown_route_and_a_wrong_method_need_no_credential() {
    let server = Server::start().await;
    for path in ["/", "/api/v2/thing", "/api/v2/things/", "/api/v2//things", "/healthz"] {
        let (status, code, _) = failure(server.request("GET", path)).await;
        assert_eq!((status, code.as_str()), (404, "NOT_FOUND"), "{path}");
    }
    for method in ["PATCH", "OPTIONS", "TRACE", "BREW"] {
        let answer = server.request(method, "/api/v2/things").send().await.unwrap();
        assert_eq!(answer.headers()["allow"], "DELETE, GET, HEAD, POST, PUT");
        assert_eq!(answer.status(), 405, "{method}");
        assert_eq!(answer.json::<Value>().await.unwrap()["error"]["code"], "METHOD_NOT_ALLOWED");
    }
}

#[tokio::test]
async fn a_body_too_large_is_refused_with_its_limit_whether_declared_or_not() {
    let server = Server::start().await;
    let body = json!({ "name": "x".repeat(100) }).to_string();
    let put = || {
        server.request("PUT", "/api/v2/things").bearer_auth(WRITER).header("Content-Type", "application/json")
    };
    let (status, code, details) = failure(put().body(body.clone())).await;
    assert_eq!((status, code.as_str(), details), (413, "PAYLOAD_TOO_LARGE", json!({ "limitBytes": 64 })));

    let mut raw = Raw::connect(&server.url).await;
    raw.send(&format!(
        "PUT /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITER}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    ))
    .await;
    assert_eq!(crate::raw::code(&raw.read_to_end().await), "413 PAYLOAD_TOO_LARGE");

    let large = server
        .request("POST", "/api/v2/things")
        .bearer_auth(WRITER)
        .json(&json!({ "name": "x".repeat(2 << 20) }));
    assert_eq!(failure(large).await.2, json!({ "limitBytes": 1_048_576 }));
}

#[tokio::test]
async fn a_malformed_chunk_is_refused_in_the_envelope_and_ends_the_connection() {
    let server = Server::start().await;
    for (path, token) in [("/api/v2/things", WRITER), ("/api/v2/things", "unknown"), ("/nowhere", WRITER)] {
        for chunk in ["zz\r\n{}\r\n", "2\r\n{}zz", "-1\r\n", "ffffffffffffffffff\r\n{}"] {
            for is_in_one_piece in [true, false] {
                let mut raw = Raw::connect(&server.url).await;
                let head = format!(
                    "PUT {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
                     Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                );
                if is_in_one_piece {
                    raw.send(&format!("{head}{chunk}")).await;
                } else {
                    raw.send(&head).await;
                    tokio::time::sleep(std::time::Duration::from_millis(30)).await;
                    raw.send(chunk).await;
                }
                let answer = raw.read_to_end().await;
                let code = code(&answer);
                let begun = ["401 UNAUTHENTICATED", "404 NOT_FOUND"];
                assert!(
                    code == "400 INVALID_REQUEST" || !is_in_one_piece && begun.contains(&&*code),
                    "{path} {token} {chunk:?} {is_in_one_piece}: {answer}"
                );
                assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{answer}");
            }
        }
    }
}

#[tokio::test]
async fn a_bug_and_a_panic_disclose_only_the_request_id() {
    let server = Server::start().await;
    for path in ["/api/v2/panic", "/api/v2/bug"] {
        let request = server.request("GET", path).bearer_auth(READER).header("X-Request-Id", "the-request");
        let answer = request.send().await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["x-request-id"]),
            (500, &"the-request".parse().unwrap())
        );
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"]["code"], "INTERNAL_ERROR");
        assert_eq!(body["error"]["details"], json!({ "requestId": "the-request" }));
        assert!(!body.to_string().contains("secret"));
    }
    assert_eq!(
        server.request("GET", "/api/v2/things").bearer_auth(READER).send().await.unwrap().status(),
        200
    );
}

#[tokio::test]
async fn a_failed_dependency_is_a_503_with_retry_after() {
    let server = Server::start().await;
    let answer =
        server.request("GET", "/api/v2/things").bearer_auth("svc_ak_test_down").send().await.unwrap();
    assert_eq!((answer.status().as_u16(), &answer.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["error"]["code"], "UNAVAILABLE");
    assert!(!body.to_string().contains("database"));
}

#[tokio::test]
async fn invalid_http_gets_the_envelope_too() {
    let server = Server::start().await;
    for (sent, expected) in [
        ("rubbish\r\n\r\n".to_owned(), "400 INVALID_REQUEST"),
        ("GET / HTTP/1.1\r\nbad header\r\n\r\n".to_owned(), "400 INVALID_REQUEST"),
        ("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n".to_owned(), "400 INVALID_REQUEST"),
        (format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(200_000)), "431 INVALID_REQUEST"),
    ] {
        let mut raw = Raw::connect(&server.url).await;
        raw.send(&sent).await;
        let answer = raw.read_to_end().await;
        assert_eq!(code(&answer), expected, "{answer}");
        assert!(answer.contains("x-request-id: "));
    }
    // Also after a valid request on the same connection.
    let mut raw = Raw::connect(&server.url).await;
    raw.send(&format!("GET /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {READER}\r\n\r\n"))
        .await;
    assert!(raw.read_until("\"any\"").await.starts_with("HTTP/1.1 200"));
    raw.send("rubbish\r\n\r\n").await;
    assert_eq!(code(&raw.read_to_end().await), "400 INVALID_REQUEST");
}

#[tokio::test]
async fn a_bare_line_end_in_a_head_is_refused_at_once() {
    let server = Server::start().await;
    // None of these heads is complete.
    for head in [
        "GET /nowhere HTTP/1.1\n",
        "GET /nowhere HTTP/1.1\r\nHost: x\n",
        "GET /nowhere HTTP/1.1\r\nHost: x\r\nA: b\nB: c\r\n",
        "\nGET /nowhere HTTP/1.1\r\n",
    ] {
        let mut raw = Raw::connect(&server.url).await;
        raw.send(head).await;
        let answer = raw.read_to_end().await;
        assert_eq!(code(&answer), "400 INVALID_REQUEST", "{head:?}");
    }
    // As does one that follows another request in one segment.
    let whole = format!("GET /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {READER}\r\n\r\n");
    let mut raw = Raw::connect(&server.url).await;
    raw.send(&format!("{whole}{}", whole.replace("Host: x\r\n", "Host: x\nA: b\r\n"))).await;
    let answers = raw.read_to_end().await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 1, "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 400").count(), 1, "{answers}");
    // Bytes of a body may be any, also those that arrive with the head or late.
    let mut raw = Raw::connect(&server.url).await;
    let body = "\n\n{\n\"name\":\n\"a\"}\n";
    let head = format!(
        "PUT /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITER}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let (first, rest) = body.split_at(4);
    raw.send(&format!("{head}{first}")).await;
    raw.send(rest).await;
    let answer = raw.read_to_end().await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn an_upgrade_to_another_protocol_is_refused_at_once() {
    let server = Server::start().await;
    let asked = |method: &str, protocol: &str| {
        format!(
            "{method} /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITER}\r\n\
             Content-Type: application/json\r\nConnection: Upgrade\r\nUpgrade: {protocol}\r\n\r\n"
        )
    };
    for (method, protocol) in [("GET", "websocket"), ("PUT", "websocket"), ("PUT", "h2c, WebSocket")] {
        let mut raw = Raw::connect(&server.url).await;
        raw.send(&asked(method, protocol)).await;
        assert_eq!(code(&raw.read_to_end().await), "400 INVALID_REQUEST", "{method} {protocol}");
    }
    // Clients that would rather speak HTTP/2 go on in HTTP/1.1.
    let mut raw = Raw::connect(&server.url).await;
    raw.send(&asked("GET", "h2c")).await;
    assert!(raw.read_until("\"any\"").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_valid_request_id_is_echoed_and_any_other_replaced() {
    let server = Server::start().await;
    let longest = "i".repeat(128);
    for sane in ["a-1", longest.as_str()] {
        let answer = server.request("GET", "/nowhere").header("X-Request-Id", sane).send().await.unwrap();
        assert_eq!(answer.headers()["x-request-id"], sane);
    }
    let too_long = "i".repeat(129);
    for insane in ["", "a b", "ü", too_long.as_str()] {
        let answer = server.request("GET", "/nowhere").header("X-Request-Id", insane).send().await.unwrap();
        let id = answer.headers()["x-request-id"].to_str().unwrap();
        assert!(id != insane && id.len() == 36, "{id}");
    }
}

#[tokio::test]
async fn every_answer_forbids_sniffing_and_caching() {
    let server = Server::start().await;
    for (path, token) in
        [("/api/v2/projects/0198c5f0-0000-7000-8000-000000000001/things/a", READER), ("/nowhere", "")]
    {
        let answer = server.request("GET", path).bearer_auth(token).send().await.unwrap();
        let headers = answer.headers();
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["cache-control"], "no-store");
        assert!(!headers.contains_key("server"));
        assert!(!headers.contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn a_client_that_has_the_current_representation_gets_304() {
    let server = Server::start().await;
    for path in ["/api/v2/things", "/api/v2/things/fixed"] {
        let get = || server.request("GET", path).bearer_auth(READER);
        let first = get().send().await.unwrap();
        let tag = first.headers()["etag"].clone();
        assert_eq!(
            (first.status().as_u16(), &first.headers()["cache-control"]),
            (200, &"private, no-cache".parse().unwrap())
        );
        let again = get().header("If-None-Match", &tag).send().await.unwrap();
        assert_eq!((again.status().as_u16(), &again.headers()["etag"]), (304, &tag));
        assert_eq!(again.text().await.unwrap(), "");
        assert_eq!(get().header("If-None-Match", "\"other\"").send().await.unwrap().status(), 200);
    }
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let server = Server::start().await;
    let answer = server.request("HEAD", "/api/v2/things/fixed").bearer_auth(READER).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), &answer.headers()["content-length"]), (200, &"7".parse().unwrap()));
    assert_eq!(answer.text().await.unwrap(), "");
}

#[tokio::test]
async fn an_endpoint_can_follow_the_protocol_of_its_clients() {
    let server = Server::start().await;
    let get = |path: &str| server.request("GET", path).basic_auth("anybody", Some(READER));
    assert_eq!(get("/api/v2/things/fixed").send().await.unwrap().status(), 401);
    let answer = get("/api/v2/protocol").send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["toy-protocol"]),
        (200, &"success".parse().unwrap())
    );
    for (method, status) in [("GET", 401), ("POST", 405)] {
        let answer = server.request(method, "/api/v2/protocol").send().await.unwrap();
        assert_eq!(answer.headers()["toy-protocol"], "failure");
        assert_eq!(answer.status().as_u16(), status);
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["message"], body["error"]["message"]);
    }
}
