//! Bytes over TCP, for requests that no HTTP client would send.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection to a server.
pub(crate) struct Raw(TcpStream);

impl Raw {
    pub(crate) async fn connect(url: &str) -> Self {
        Self(TcpStream::connect(url.trim_start_matches("http://")).await.unwrap())
    }

    pub(crate) async fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).await.unwrap();
    }

    /// Closes the sending side.
    pub(crate) async fn finish(&mut self) {
        self.0.shutdown().await.unwrap();
    }

    /// Disconnects with a reset.
    pub(crate) fn reset(self) {
        self.0.set_zero_linger().unwrap();
    }

    /// Reads until the server closes the connection.
    pub(crate) async fn read_to_end(&mut self) -> String {
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(15), self.0.read_to_end(&mut bytes)).await;
        // A reset after the answer is a valid end.
        let _ = read.expect("the server closes the connection");
        String::from_utf8(bytes).unwrap()
    }

    /// Waits for `pause` without reading, then reads to the end. Returns the number of bytes.
    pub(crate) async fn read_slowly(&mut self, pause: Duration) -> usize {
        tokio::time::sleep(pause).await;
        let mut bytes = Vec::new();
        let _ = tokio::time::timeout(Duration::from_secs(15), self.0.read_to_end(&mut bytes)).await;
        bytes.len()
    }

    /// Reads up to and including `end`.
    pub(crate) async fn read_until(&mut self, end: &str) -> String {
        let mut bytes = Vec::new();
        while !String::from_utf8_lossy(&bytes).contains(end) {
            let read = tokio::time::timeout(Duration::from_secs(15), self.0.read_u8()).await;
            bytes.push(read.expect("the server answers").expect("the connection is open"));
        }
        String::from_utf8(bytes).unwrap()
    }
}

/// Status and code of a raw answer.
pub(crate) fn code(answer: &str) -> String {
    let status = answer.get(9..12).unwrap_or_default();
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let envelope: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    format!("{status} {}", envelope["error"]["code"].as_str().unwrap_or("no envelope"))
}
