//! The operations port.

use domain::Error;
use serde_json::{Value, json};
use wire::Readiness;

use crate::toy::{Server, config};

async fn readiness(required_up: bool, optional_up: bool) -> (u16, Value) {
    let check = |up: bool| async move { if up { Ok(()) } else { Err(Error::unavailable("down")) } };
    let readiness =
        Readiness::new().required("database", move || check(required_up)).optional("redis", move || check(optional_up));
    let server = Server::start_with(config(), readiness).await;
    let (status, body) = server.ops("/readyz").await;
    assert_eq!(server.ops("/healthz").await.0, 200);
    (status, serde_json::from_str(&body).unwrap())
}

#[tokio::test]
async fn readiness_depends_on_what_is_required_alone() {
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
