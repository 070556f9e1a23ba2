//! Pages of other origins in a browser.

use reqwest::RequestBuilder;
use wire::{Readiness, ServerConfig};

use crate::toy::{READER, Server, config};

const PAGE: &str = "https://app.example";

async fn server(allowed: &[&str]) -> Server {
    let allowed_origins = allowed.iter().map(|origin| origin.parse().unwrap()).collect();
    Server::start_with(ServerConfig { allowed_origins, ..config() }, Readiness::new()).await
}

fn preflight(server: &Server, origin: &str, path: &str) -> RequestBuilder {
    server
        .request("OPTIONS", path)
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "PUT")
        .header("Access-Control-Request-Headers", "authorization,if-match,x-own")
}

#[tokio::test]
async fn a_preflight_of_an_allowed_page_needs_no_credential() {
    let server = server(&["https://other.example", PAGE]).await;
    for path in ["/api/v2/things", "/nowhere"] {
        let answer = preflight(&server, PAGE, path).send().await.unwrap();
        assert_eq!(answer.status(), 204, "{path}");
        let headers = answer.headers();
        assert_eq!(headers["access-control-allow-origin"], PAGE);
        assert_eq!(headers["access-control-allow-headers"], "authorization,if-match,x-own");
        assert_eq!(headers["access-control-allow-methods"], "GET, HEAD, POST, PUT, PATCH, DELETE");
        assert_eq!(headers["access-control-max-age"], "7200");
        assert_eq!(headers["vary"], "origin");
        assert!(headers.contains_key("x-request-id"));
        assert!(!headers.contains_key("access-control-allow-credentials"));
    }
}

#[tokio::test]
async fn an_allowed_page_reads_answers_and_failures_with_their_headers() {
    let server = server(&[PAGE]).await;
    for (request, status) in [
        (server.request("GET", "/api/v2/things").bearer_auth(READER), 200),
        (server.request("GET", "/api/v2/things"), 401),
        (server.request("GET", "/nowhere"), 404),
    ] {
        let answer = request.header("Origin", PAGE).send().await.unwrap();
        assert_eq!(answer.status(), status);
        assert_eq!(answer.headers()["access-control-allow-origin"], PAGE, "{status}");
        let exposed = answer.headers()["access-control-expose-headers"].to_str().unwrap();
        for name in ["ETag", "Retry-After", "X-Request-Id", "Idempotency-Replayed", "Upload-Offset"] {
            assert!(exposed.split(", ").any(|exposed| exposed == name), "{name} is not in {exposed}");
        }
    }
}

#[tokio::test]
async fn other_pages_get_no_leave() {
    let server = server(&[PAGE]).await;
    for origin in ["https://app.example.evil", "http://app.example", "https://app.example:8443", "null"] {
        let question = preflight(&server, origin, "/api/v2/things").send().await.unwrap();
        assert_eq!(question.status(), 405, "{origin}");
        let read = server.request("GET", "/api/v2/things").bearer_auth(READER).header("Origin", origin);
        for answer in [question, read.send().await.unwrap()] {
            assert!(!answer.headers().contains_key("access-control-allow-origin"), "{origin}");
            // A cache must not give this answer to an allowed page.
            assert!(answer.headers().get_all("vary").iter().any(|name| name == "origin"), "{origin}");
        }
    }
}

#[tokio::test]
async fn a_deployment_may_allow_all_pages_and_allows_none_at_first() {
    let all = server(&["*"]).await;
    assert_eq!(preflight(&all, PAGE, "/api/v2/things").send().await.unwrap().status(), 204);
    let none = server(&[]).await;
    let answer = preflight(&none, PAGE, "/api/v2/things").send().await.unwrap();
    assert_eq!(answer.status(), 405);
    assert!(!answer.headers().contains_key("vary"));
}
