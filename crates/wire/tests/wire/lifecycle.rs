//! The graceful stop, and clients that disconnect.

use std::time::Duration;

use wire::{Readiness, ServerConfig, Shutdown};

use crate::raw::Raw;
use crate::toy::{READER, Server, WRITER, config, service};

/// Marks the process that the test stops; its value is the ready file.
const CHILD: &str = "WIRE_TEST_READY_FILE";

fn wait_request() -> String {
    format!("POST /api/v2/wait HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITER}\r\n\r\n")
}

#[tokio::test]
async fn a_stop_answers_active_requests_closes_idle_connections_and_refuses_new_ones() {
    let server = Server::start().await;
    let mut busy = Raw::connect(&server.url).await;
    busy.send(&wait_request()).await;
    server.app.waiting.notified().await;
    let mut silent = Raw::connect(&server.url).await;
    let mut kept_alive = Raw::connect(&server.url).await;
    let request = format!("GET /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {READER}\r\n\r\n");
    kept_alive.send(&request).await;
    kept_alive.read_until("\"any\"").await;
    assert_eq!(server.ops("/readyz").await.0, 200);

    server.stops.send(()).await.unwrap();
    assert_eq!(kept_alive.read_to_end().await, "");
    assert_eq!(silent.read_to_end().await, "");
    let (status, body) = server.ops("/readyz").await;
    assert_eq!((status, body.contains("draining")), (503, true));
    assert_eq!(server.ops("/healthz").await.0, 200);
    assert!(server.request("GET", "/api/v2/things").send().await.is_err());

    server.app.release.add_permits(1);
    let answer = busy.read_to_end().await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\"done\""), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    assert_eq!(server.task.await.unwrap().unwrap(), Shutdown::Graceful);
}

#[tokio::test]
async fn a_stop_answers_for_a_moment_and_announces_the_end_of_each_connection() {
    let notice = Duration::from_secs(60);
    let server =
        Server::start_with(ServerConfig { shutdown_notice: notice, ..config() }, Readiness::new()).await;
    let request = format!("GET /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {READER}\r\n\r\n");
    let mut kept_alive = Raw::connect(&server.url).await;
    kept_alive.send(&request).await;
    assert!(!kept_alive.read_until("\"any\"").await.contains("connection: close"));

    server.stops.send(()).await.unwrap();
    // Readiness ends before the notice begins.
    while server.ops("/readyz").await.0 != 503 {}
    // Requests that were on their way, over old connections and new ones.
    let mut new = Raw::connect(&server.url).await;
    for connection in [&mut kept_alive, &mut new] {
        connection.send(&request).await;
        let answer = connection.read_to_end().await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.contains("connection: close") && answer.contains("\"any\""), "{answer}");
    }
    // Nobody is left to be told.
    let stopped = tokio::time::timeout(Duration::from_secs(10), server.task).await.unwrap();
    assert_eq!(stopped.unwrap().unwrap(), Shutdown::Graceful);
}

#[tokio::test]
async fn a_stop_has_a_hard_deadline() {
    let grace = Duration::from_secs(1);
    let server =
        Server::start_with(ServerConfig { shutdown_grace: grace, ..config() }, Readiness::new()).await;
    let mut busy = Raw::connect(&server.url).await;
    busy.send(&wait_request()).await;
    server.app.waiting.notified().await;
    server.stops.send(()).await.unwrap();
    let stopped = tokio::time::timeout(Duration::from_secs(10), server.task).await.unwrap();
    assert_eq!(stopped.unwrap().unwrap(), Shutdown::Graceful);
}

#[tokio::test]
async fn a_second_signal_ends_the_wait() {
    let server = Server::start_with(
        ServerConfig { shutdown_grace: Duration::from_secs(60), ..config() },
        Readiness::new(),
    )
    .await;
    let mut busy = Raw::connect(&server.url).await;
    busy.send(&wait_request()).await;
    server.app.waiting.notified().await;
    server.stops.send(()).await.unwrap();
    server.stops.send(()).await.unwrap();
    let stopped = tokio::time::timeout(Duration::from_secs(10), server.task).await.unwrap();
    assert_eq!(stopped.unwrap().unwrap(), Shutdown::Immediate);
}

#[tokio::test]
async fn a_client_that_disconnects_does_not_cancel_its_handler() {
    let server = Server::start().await;
    let mut gone = Raw::connect(&server.url).await;
    gone.send(&wait_request()).await;
    server.app.waiting.notified().await;
    gone.reset();
    // Another request of the same worker: its answer proves that the worker has seen the reset.
    let mut other = Raw::connect(&server.url).await;
    other.send(&wait_request()).await;
    server.app.waiting.notified().await;
    server.app.release.add_permits(2);
    assert!(other.read_until("\"done\"").await.starts_with("HTTP/1.1 200"));
    let both = server.app.finished.acquire_many(2);
    assert!(tokio::time::timeout(Duration::from_secs(10), both).await.is_ok());
}

#[tokio::test]
async fn a_process_announces_its_ports_and_ends_with_0_on_sigterm() {
    if let Some(ready_file) = std::env::var_os(CHILD) {
        let config = ServerConfig { ready_file: Some(ready_file.into()), ..config() };
        assert_eq!(wire::serve(&config, service()).await.unwrap(), Shutdown::Graceful);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ready_file = folder.path().join("ready.json");
    let test = "lifecycle::a_process_announces_its_ports_and_ends_with_0_on_sigterm";
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env(CHILD, &ready_file)
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut poll = tokio::time::interval(Duration::from_millis(10));
    let ready = loop {
        poll.tick().await;
        if let Ok(ready) = std::fs::read(&ready_file) {
            break serde_json::from_slice::<serde_json::Value>(&ready).unwrap();
        }
        assert!(child.try_wait().unwrap().is_none(), "the process is up");
    };
    for (url, path, expected) in [("url", "/nowhere", 404), ("opsUrl", "/readyz", 200)] {
        let url = format!("{}{path}", ready[url].as_str().unwrap());
        assert_eq!(reqwest::get(url).await.unwrap().status(), expected);
    }
    let pid = child.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let ended = tokio::time::timeout(Duration::from_secs(10), child.wait()).await.unwrap();
    assert_eq!(ended.unwrap().code(), Some(0));
}
