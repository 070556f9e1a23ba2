//! The operations port.

use domain::Error;
use serde_json::{Value, json};
use wire::Readiness;

use crate::toy::{READER, Server, config};

async fn readiness(required_up: bool, optional_up: bool) -> (u16, Value) {
    let check = |up: bool| async move { if up { Ok(()) } else { Err(Error::unavailable("down")) } };
    let readiness = Readiness::new()
        .required("database", move || check(required_up))
        .optional("redis", move || check(optional_up));
    let server = Server::start_with(config(), readiness).await;
    let (status, body) = server.ops("/readyz").await;
    assert_eq!(server.ops("/healthz").await.0, 200);
    (status, serde_json::from_str(&body).unwrap())
}

#[tokio::test]
async fn readiness_depends_only_on_required_checks() {
    assert_eq!(
        readiness(true, true).await,
        (200, json!({ "status": "ready", "checks": { "database": "up", "redis": "up" } }))
    );
    assert_eq!(
        readiness(true, false).await,
        (200, json!({ "status": "degraded", "checks": { "database": "up", "redis": "down" } }))
    );
    assert_eq!(
        readiness(false, true).await,
        (503, json!({ "status": "unavailable", "checks": { "database": "down", "redis": "up" } }))
    );
}

#[tokio::test]
async fn metrics_exist_before_the_first_event() {
    let server = Server::start().await;
    let (_, metrics) = server.ops("/metrics").await;
    for declared in [
        "http_connections_refused_total",
        "http_requests_in_flight",
        "http_connections",
        r#"http_requests_total{operation="browser",status="500"} 0"#,
    ] {
        assert!(metrics.lines().any(|line| line.starts_with(declared)), "{declared}: {metrics}");
    }
}

#[tokio::test]
async fn requests_are_counted_by_operation_and_status_and_never_by_path() {
    let server = Server::start().await;
    let request = server.request("GET", "/api/v2/browser?secret=1").bearer_auth(READER);
    assert_eq!(request.send().await.unwrap().status(), 403);
    let (status, metrics) = server.ops("/metrics").await;
    assert_eq!(status, 200);
    let counted = r#"http_requests_total{operation="browser",status="403"}"#;
    assert!(metrics.lines().any(|line| line.starts_with(counted)), "{metrics}");
    assert!(
        metrics.contains(r#"http_request_duration_seconds_bucket{operation="browser",le="0.001"}"#),
        "{metrics}"
    );
    assert!(metrics.contains("http_requests_in_flight") && metrics.contains("http_connections"), "{metrics}");
    assert!(!metrics.contains("/api") && !metrics.contains("secret"));
}
