//! Common parts of the stub servers: they accept requests one by one and record them.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A received request.
#[derive(Clone, Debug)]
pub struct StubRequest {
    /// Its path.
    pub path: String,
    /// Its head, in lower case.
    pub head: String,
    /// Its body; null if it is not JSON.
    pub body: Value,
}

/// The requests received so far.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<StubRequest>>>);

impl Heard {
    /// All of them.
    pub(crate) fn all(&self) -> Vec<StubRequest> {
        self.0.lock().clone()
    }

    /// Reads and records a request; `None` if the client has left.
    pub(crate) async fn request(&self, stream: &mut BufReader<TcpStream>) -> io::Result<Option<StubRequest>> {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(None);
            }
            if line == "\r\n" {
                break;
            }
            let line = line.to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let asked = StubRequest { path, head, body: serde_json::from_slice(&body).unwrap_or_default() };
        self.0.lock().push(asked.clone());
        Ok(Some(asked))
    }
}

/// Passes each connection to `serve` until the test's runtime ends; returns the server's address.
pub(crate) async fn listen<Fut>(serve: impl Fn(BufReader<TcpStream>) -> Fut + Send + 'static) -> String
where
    Fut: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(BufReader::new(stream)));
        }
    });
    url
}
