//! Requests written byte by byte, as no HTTP client would send them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails by panicking")]

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::answer::Answer;
use crate::caller;

/// Longest wait for a response.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection to a service.
pub struct Connection(TcpStream);

impl Connection {
    /// Connects to the service at `url`.
    pub async fn open(url: &str) -> Self {
        let address = url.trim_start_matches("http://");
        Self(TcpStream::connect(address).await.unwrap())
    }

    /// Sends bytes; returns true while the other side accepts them.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Closes the sending direction.
    pub async fn finish(&mut self) {
        // The other side may have closed already.
        let _closed = self.0.shutdown().await;
    }

    /// Reads the whole response; `None` if the connection ended without one.
    pub async fn try_answer(&mut self) -> Option<Answer> {
        let mut received = Vec::new();
        loop {
            if let Some(answer) = parse(&received) {
                caller::check(&answer, false);
                return Some(answer);
            }
            let mut chunk = [0; 16 * 1024];
            let read = timeout(PATIENCE, self.0.read(&mut chunk));
            let read = read.await.unwrap_or_else(|_| panic!("no answer within {PATIENCE:?}"));
            match read {
                Ok(0) | Err(_) => return None,
                Ok(count) => received.extend_from_slice(chunk.get(..count).unwrap()),
            }
        }
    }

    /// Reads the whole response.
    pub async fn answer(&mut self) -> Answer {
        self.try_answer().await.unwrap_or_else(|| panic!("the connection ended without an answer"))
    }

    /// True if unread bytes have arrived.
    pub async fn has_received(&self) -> bool {
        let mut first = [0];
        self.0.peek(&mut first).await.is_ok_and(|bytes| bytes > 0)
    }

    /// Waits up to `patience` for the other side to close the connection.
    pub async fn is_closed_within(&mut self, patience: Duration) -> bool {
        let mut sink = [0; 1024];
        let closed = async {
            loop {
                if matches!(self.0.read(&mut sink).await, Ok(0) | Err(_)) {
                    return;
                }
            }
        };
        timeout(patience, closed).await.is_ok()
    }
}

/// Returns a response with a `Content-Length` once it is complete.
fn parse(received: &[u8]) -> Option<Answer> {
    let head_bytes = received.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(received.get(..head_bytes)?).unwrap();
    let mut lines = head.split("\r\n");
    let status: u16 = lines.next()?.split(' ').nth(1)?.parse().unwrap();
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(':').unwrap();
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_str(value.trim()).unwrap());
    }
    let body = received.get(head_bytes + 4..)?;
    if status == 100 {
        return parse(body);
    }
    let length = headers.get("content-length").map_or(0, |length| length.to_str().unwrap().parse().unwrap());
    let body = Bytes::copy_from_slice(body.get(..length)?);
    Some(Answer { status, headers, body })
}
