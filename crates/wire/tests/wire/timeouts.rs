//! Clients that are slow or silent, and too many clients.

use std::time::{Duration, Instant};

use wire::Readiness;

use crate::raw::{Raw, code};
use crate::toy::{READER, Server, WRITER, config};

#[tokio::test]
async fn a_head_that_does_not_arrive_in_time_is_a_408() {
    let server = Server::start().await;
    for beginning in ["", "GET /api/v2/things HTTP/1.1\r\nHost:"] {
        let started = Instant::now();
        let mut raw = Raw::connect(&server.url).await;
        raw.send(beginning).await;
        assert_eq!(code(&raw.read_to_end().await), "408 REQUEST_TIMEOUT");
        assert!(started.elapsed() < Duration::from_secs(4));
    }
}

#[tokio::test]
async fn every_head_of_a_connection_has_the_same_timeout() {
    let server = Server::start().await;
    let request = format!("GET /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {READER}\r\n\r\n");
    let mut raw = Raw::connect(&server.url).await;
    raw.send(&request).await;
    raw.read_until("\"any\"").await;
    raw.send("GET /api/v2/things HTTP/1.1\r\nHost:").await;
    let started = Instant::now();
    assert_eq!(raw.read_to_end().await, "");
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_body_whose_first_byte_does_not_arrive_in_time_is_a_408() {
    let server = Server::start().await;
    let started = Instant::now();
    let mut raw = Raw::connect(&server.url).await;
    raw.send(&format!(
        "POST /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITER}\r\n\
         Content-Type: application/json\r\nContent-Length: 10\r\n\r\n"
    ))
    .await;
    assert_eq!(code(&raw.read_to_end().await), "408 REQUEST_TIMEOUT");
    assert!(started.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn an_incomplete_body_is_the_clients_failure() {
    let server = Server::start().await;
    let mut raw = Raw::connect(&server.url).await;
    raw.send(&format!(
        "POST /api/v2/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITER}\r\n\
         Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 10\r\n\r\n12345"
    ))
    .await;
    raw.finish().await;
    assert_eq!(code(&raw.read_to_end().await), "400 INVALID_REQUEST");
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_and_later_ones_accepted() {
    are_limited(wire::ServerConfig { max_connections: 2, ..config() }).await;
}

#[tokio::test]
async fn connections_of_one_address_are_limited() {
    are_limited(wire::ServerConfig { max_connections_per_address: 2, ..config() }).await;
}

/// Checks that a server takes two connections.
async fn are_limited(config: wire::ServerConfig) {
    let server = Server::start_with(config, Readiness::new()).await;
    let request = format!("GET /api/v2/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {READER}\r\n\r\n");
    let mut first = Raw::connect(&server.url).await;
    let mut second = Raw::connect(&server.url).await;
    for kept in [&mut first, &mut second] {
        kept.send(&request).await;
        kept.read_until("\"any\"").await;
    }
    assert_eq!(Raw::connect(&server.url).await.read_to_end().await, "");
    first.finish().await;
    assert_eq!(first.read_to_end().await, "");
    let mut third = Raw::connect(&server.url).await;
    third.send(&request).await;
    assert!(third.read_until("\"any\"").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_client_that_stops_reading_its_answer_loses_the_connection() {
    let server = Server::start().await;
    let mut raw = Raw::connect(&server.url).await;
    raw.send(&format!("GET /api/v2/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {READER}\r\n\r\n"))
        .await;
    raw.read_until("\r\n\r\n").await;
    let read = raw.read_slowly(Duration::from_secs(2)).await;
    assert!(read < 64 << 20, "the answer was cut off, after {read} bytes");
}

#[tokio::test]
async fn a_client_that_expects_100_continue_receives_it() {
    let server = Server::start().await;
    let mut raw = Raw::connect(&server.url).await;
    raw.send(&format!(
        "POST /api/v2/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITER}\r\nExpect: 100-continue\r\n\
         Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 5\r\n\r\n"
    ))
    .await;
    assert_eq!(raw.read_until("\r\n\r\n").await, "HTTP/1.1 100 Continue\r\n\r\n");
    raw.send("12345").await;
    assert!(raw.read_until("{\"bytes\":5}").await.starts_with("HTTP/1.1 200"));
}
