//! A model server with endless answers: it sends a word every few milliseconds until its client hangs up.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;

const PAUSE: Duration = Duration::from_millis(10);
const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const WORD: &[u8] =
    b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"on \"},\"finish_reason\":null}]}\n\n";

/// The server.
pub(crate) struct Model {
    url: String,
    begun: Arc<AtomicUsize>,
}

impl Model {
    /// Starts a server that listens until this process ends.
    pub(crate) fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let begun = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&begun);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                std::thread::spawn(move || {
                    // Ends with an error when the client hangs up.
                    let _hung_up = answer(stream, &counted);
                });
            }
        });
        Ok(Self { url, begun })
    }

    /// The service's models file with this model.
    pub(crate) fn file(&self) -> String {
        let prices = json!({ "prompt": "0", "completion": "0", "cacheWrite": "0", "cacheRead": "0" });
        let model = json!({
            "name": "endless", "provider": "bench", "protocol": "openai", "baseUrl": self.url,
            "apiKey": "none", "model": "endless", "prices": prices,
        });
        json!({ "models": [model] }).to_string()
    }

    /// Number of answers begun.
    pub(crate) fn answers(&self) -> usize {
        self.begun.load(Ordering::Acquire)
    }
}

fn answer(stream: TcpStream, begun: &AtomicUsize) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        if line.trim_end().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().context("a length")?;
        }
    }
    std::io::copy(&mut stream.by_ref().take(length), &mut std::io::sink())?;
    let stream = stream.get_mut();
    stream.write_all(HEAD)?;
    stream.write_all(WORD)?;
    begun.fetch_add(1, Ordering::Release);
    loop {
        std::thread::sleep(PAUSE);
        stream.write_all(WORD)?;
    }
}
