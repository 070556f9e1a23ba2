//! A client of a stream of server-sent events.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails by panicking")]

use std::time::Duration;

use domain::event::change::ChangeEvent;
use domain::event::typed::TypedEvent;
use reqwest::Response;
use serde_json::Value;
use tokio::time::timeout;

use crate::caller::Request;

/// Longest wait for an event.
const PATIENCE: Duration = Duration::from_secs(30);

/// An open event stream.
pub struct EventStream {
    response: Response,
    received: Vec<u8>,
    last_id: Option<String>,
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The `Last-Event-ID` with which a client resumes.
    pub id: String,
    /// The event's name, which its data repeats as `type`.
    pub kind: String,
    /// Its data.
    pub json: Value,
}

impl EventStream {
    /// Opens a stream; panics if it is refused.
    pub async fn open(request: Request) -> Self {
        let response = request.begin().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers().get("content-type").unwrap(), "text/event-stream");
        Self { response, received: Vec::new(), last_id: None }
    }

    /// The next event; `None` at the end of the stream or connection.
    pub async fn next(&mut self) -> Option<Event> {
        let next = timeout(PATIENCE, async {
            loop {
                if let Some(block) = self.block() {
                    self.last_id = field(&block, "id").map(str::to_owned).or(self.last_id.take());
                    match parse(&block) {
                        Some(event) => return Some(event),
                        None => continue,
                    }
                }
                match self.response.chunk().await {
                    Ok(Some(bytes)) => self.received.extend_from_slice(&bytes),
                    Ok(None) | Err(_) => return None,
                }
            }
        });
        next.await.unwrap_or_else(|_| panic!("no event within {PATIENCE:?}"))
    }

    /// The position from which a client reconnects, also between events.
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// The next event of this type; skips others.
    pub async fn next_of(&mut self, kind: &str) -> Event {
        loop {
            match self.next().await {
                Some(event) if event.kind == kind => return event,
                Some(_) => {}
                None => panic!("the stream ended before {kind}"),
            }
        }
    }

    /// All further events up to the first of this type.
    pub async fn until(&mut self, kind: &str) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await;
            events.push(event.unwrap_or_else(|| panic!("the stream ended before {kind}")));
            if events.last().is_some_and(|event| event.kind == kind) {
                return events;
            }
        }
    }

    /// All further events until the stream ends.
    pub async fn rest(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    /// The next block of lines, up to an empty one.
    fn block(&mut self) -> Option<String> {
        let end = self.received.windows(2).position(|pair| pair == b"\n\n")?;
        let block: Vec<u8> = self.received.drain(..end + 2).collect();
        Some(String::from_utf8(block).unwrap())
    }
}

fn field<'a>(block: &'a str, name: &str) -> Option<&'a str> {
    block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn parse(block: &str) -> Option<Event> {
    let json: Value = serde_json::from_str(field(block, "data")?).unwrap();
    let (id, kind) = (field(block, "id").unwrap().to_owned(), field(block, "event").unwrap().to_owned());
    assert_eq!(json.get("id").and_then(Value::as_str), Some(id.as_str()), "{json}");
    assert_eq!(json.get("type").and_then(Value::as_str), Some(kind.as_str()), "{json}");
    let described = serde_json::from_value::<TypedEvent>(json.clone()).map(drop);
    let described = described.or_else(|_| serde_json::from_value::<ChangeEvent>(json.clone()).map(drop));
    assert!(described.is_ok(), "{described:?}: {json}");
    Some(Event { id, kind, json })
}
