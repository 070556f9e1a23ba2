//! A model server with the wire formats of both protocols and scripted replies.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::stub::{Heard, StubRequest, listen};

/// The server's reply to a request.
#[derive(Clone)]
pub enum Reply {
    /// Streams this text, word by word.
    Text(&'static str),
    /// Streams this text, one word every 50 ms.
    Slow(&'static str),
    /// Calls tools: name and arguments.
    Calls(Vec<(&'static str, Value)>),
    /// Streams these chat completion chunks and ends normally.
    Chunks(Vec<Value>),
    /// Streams this text, then stalls with the connection open.
    Hang(&'static str),
    /// Streams a word every few milliseconds, forever.
    Endless,
    /// Sends this many bytes of garbage.
    Garbage(usize),
    /// Starts a reply and closes the connection.
    BreakOff(&'static str),
    /// Refuses with this status.
    Status(u16),
    /// Refuses with status 429 and this header.
    Later(&'static str),
    /// Sends this body with this status.
    Body(u16, String),
}

/// A running server, stopped with the test's runtime.
#[derive(Clone)]
pub struct ModelServer {
    /// Its address.
    pub url: String,
    replies: Arc<Mutex<VecDeque<Reply>>>,
    heard: Heard,
    hung_up: Arc<AtomicUsize>,
}

impl ModelServer {
    /// Starts a server that gives these replies in turn; the last one repeats.
    pub async fn start(replies: Vec<Reply>) -> Self {
        let mut server = Self {
            url: String::new(),
            replies: Arc::new(Mutex::new(replies.into())),
            heard: Heard::default(),
            hung_up: Arc::default(),
        };
        let serving = server.clone();
        server.url = listen(move |stream| {
            let serving = serving.clone();
            async move {
                if serving.serve(stream).await.is_err() {
                    serving.hung_up.fetch_add(1, Ordering::Relaxed);
                }
            }
        })
        .await;
        server
    }

    /// A models file that names this server's models.
    pub fn models(&self) -> String {
        models_at(&self.url)
    }

    /// The requests received so far.
    pub fn asked(&self) -> Vec<StubRequest> {
        self.heard.all()
    }

    /// Number of clients that left before the end of their reply.
    pub fn hung_up(&self) -> usize {
        self.hung_up.load(Ordering::Relaxed)
    }

    /// Replaces the remaining replies.
    pub fn answer(&self, replies: Vec<Reply>) {
        *self.replies.lock() = replies.into();
    }

    fn next(&self) -> Reply {
        let mut replies = self.replies.lock();
        let next = replies.front().cloned().unwrap_or(Reply::Text("Nothing to say."));
        if replies.len() > 1 {
            replies.pop_front();
        }
        next
    }

    async fn serve(&self, mut stream: BufReader<TcpStream>) -> std::io::Result<()> {
        let Some(asked) = self.heard.request(&mut stream).await? else { return Ok(()) };
        let is_claude = asked.path.ends_with("/messages");
        let reply = self.next();
        if let Reply::Status(status) = reply {
            let answer = format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            return stream.write_all(answer.as_bytes()).await;
        }
        if let Reply::Later(header) = reply {
            let head = "HTTP/1.1 429 x\r\nconnection: close\r\ncontent-length: 9";
            let answer = format!("{head}\r\n{header}\r\n\r\nslow down");
            return stream.write_all(answer.as_bytes()).await;
        }
        if let Reply::Body(status, body) = reply {
            let answer = format!("HTTP/1.1 {status} x\r\nconnection: close\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await?;
            return stream.shutdown().await;
        }
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
            .await?;
        let mut said = if is_claude { vec![start()] } else { Vec::new() };
        match reply {
            Reply::Text(text) | Reply::Slow(text) => {
                said.extend(words(text, is_claude));
                said.extend(end("stop", is_claude));
            }
            Reply::Calls(ref calls) => {
                let numbered = (0_usize..).zip(calls);
                said.extend(
                    numbered.flat_map(|(index, (name, params))| call(index, name, params, is_claude)),
                );
                said.extend(end("tool_calls", is_claude));
            }
            Reply::Chunks(ref chunks) => {
                said.extend(chunks.iter().cloned().map(chat));
                said.extend(end("tool_calls", is_claude));
            }
            Reply::Hang(text) | Reply::BreakOff(text) => said.extend(words(text, is_claude)),
            Reply::Endless | Reply::Garbage(_) | Reply::Status(_) | Reply::Later(_) | Reply::Body(..) => {}
        }
        for event in said {
            stream.write_all(event.as_bytes()).await?;
            stream.flush().await?;
            if matches!(reply, Reply::Slow(_)) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        match reply {
            Reply::Hang(_) => std::future::pending().await,
            Reply::Endless => loop {
                for event in words("on and on ", is_claude) {
                    stream.write_all(event.as_bytes()).await?;
                }
                stream.flush().await?;
                tokio::time::sleep(Duration::from_millis(10)).await;
            },
            Reply::Garbage(bytes) => {
                for _ in 0..bytes / 1_000 {
                    stream.write_all(&[b'x'; 1_000]).await?;
                }
                stream.flush().await
            }
            _ => stream.shutdown().await,
        }
    }
}

/// A models file for a server of both protocols: `chat` first, then `claude`.
pub fn models_at(url: &str) -> String {
    let prices = json!({ "prompt": "3", "completion": "15", "cacheWrite": "3.75", "cacheRead": "0.3" });
    let model = |name: &str, protocol: &str, base: &str| {
        json!({
            "name": name, "provider": protocol, "protocol": protocol, "baseUrl": format!("{url}{base}"),
            "apiKey": "model-secret", "model": format!("{name}-1"), "prices": prices,
        })
    };
    json!({ "models": [model("chat", "openai", "/v1"), model("claude", "anthropic", "")] }).to_string()
}

fn start() -> String {
    let usage = json!({
        "input_tokens": 200, "cache_creation_input_tokens": 500, "cache_read_input_tokens": 2000,
        "output_tokens": 1,
    });
    claude("message_start", json!({ "message": { "usage": usage } }))
}

fn words(text: &str, is_claude: bool) -> Vec<String> {
    let word = |word: &str| {
        if is_claude {
            claude(
                "content_block_delta",
                json!({ "index": 0, "delta": { "type": "text_delta", "text": word } }),
            )
        } else {
            chat(json!({ "choices": [{ "index": 0, "delta": { "content": word }, "finish_reason": null }] }))
        }
    };
    text.split_inclusive(' ').map(word).collect()
}

fn call(index: usize, name: &str, params: &Value, is_claude: bool) -> Vec<String> {
    let id = format!("call_{}", uuid::Uuid::new_v4().simple());
    let params = params.to_string();
    let (first, second) = params.split_at(params.len() / 2);
    if is_claude {
        let piece = |json: &str| {
            let delta = json!({ "type": "input_json_delta", "partial_json": json });
            claude("content_block_delta", json!({ "index": index, "delta": delta }))
        };
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        let start = claude("content_block_start", json!({ "index": index, "content_block": block }));
        return vec![start, piece(first), piece(second)];
    }
    let piece = |call: Value| chat(json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }));
    vec![
        piece(
            json!({ "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": first } }),
        ),
        piece(json!({ "index": index, "function": { "arguments": second } })),
    ]
}

fn end(reason: &str, is_claude: bool) -> Vec<String> {
    if is_claude {
        let reason = if reason == "stop" { "end_turn" } else { "tool_use" };
        let delta = json!({ "delta": { "stop_reason": reason }, "usage": { "output_tokens": 40 } });
        return vec![claude("message_delta", delta), claude("message_stop", json!({}))];
    }
    let usage = json!({
        "prompt_tokens": 1200, "completion_tokens": 77, "total_tokens": 1277,
        "prompt_tokens_details": { "cached_tokens": 1024 }, "completion_tokens_details": { "reasoning_tokens": 33 },
    });
    vec![
        chat(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })),
        chat(json!({ "choices": [], "usage": usage })),
        "data: [DONE]\n\n".to_owned(),
    ]
}

fn chat(chunk: Value) -> String {
    format!("data: {chunk}\n\n")
}

fn claude(kind: &str, mut event: Value) -> String {
    if let Some(fields) = event.as_object_mut() {
        fields.insert("type".to_owned(), kind.into());
    }
    format!("event: {kind}\ndata: {event}\n\n")
}
