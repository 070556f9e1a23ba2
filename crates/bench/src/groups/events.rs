//! A thousand sessions with a follower each: the control plane's memory, and the delay between the answer to a change and
//! its event.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};

use crate::client::{Client, Request};
use crate::load::median;
use crate::stack::{Stack, text};
use crate::table::{Bound, Row};

const SESSIONS: usize = 1_000;
/// Sessions with a change, spread evenly over all.
const CHANGED: usize = 200;
/// Longest wait for an event.
const EVENT_LIMIT: Duration = Duration::from_secs(10);
/// Memory limit of the control plane.
const REQUIRED_MIB: f64 = 200.0;
/// Longest delay of an event after the answer.
const REQUIRED_MS: f64 = 20.0;

/// A client that follows the events of a session.
struct Follower {
    /// The session's path.
    path: String,
    stream: TcpStream,
}

/// The rows of events.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let project = stack.session()?.project;
    let mut client = Client::connect(&stack.ready.control_url)?;
    let mut post = |path: &str, body: &Value, status| -> Result<Value> {
        let headers = ["content-type: application/json".to_owned()];
        let request = Request { method: "POST", path, bearer: &stack.ready.api_key, headers: &headers };
        client.send(&request, body.to_string().as_bytes())?.expect(status)?.json()
    };
    let sessions = format!("/api/v2/projects/{project}/sessions");
    let mut followers = Vec::new();
    for _ in 0..SESSIONS {
        let path = format!("{sessions}/{}", text(&post(&sessions, &json!({}), 201)?, "/sessionId")?);
        followers.push(Follower::start(stack, path)?);
    }
    let mut figures = Vec::new();
    for (number, follower) in followers.iter_mut().step_by(SESSIONS / CHANGED).enumerate() {
        let invoke = format!("{}/tools/invoke", follower.path);
        let params = json!({ "name": format!("Tooth {number}") });
        let body = json!({ "toolbox": "project", "tool": "create_object", "params": params });
        let (answered, arrived) = std::thread::scope(|scope| {
            let arriving = scope.spawn(|| follower.wait_for("objects.changed"));
            let answered = post(&invoke, &body, 200).map(|_| Instant::now());
            let arrived = arriving.join().map_err(|_| anyhow!("a follower panicked"))?;
            anyhow::Ok((answered?, arrived?))
        })?;
        // The event may arrive before the answer.
        figures.push(arrived.saturating_duration_since(answered).as_secs_f64() * 1_000.0);
    }
    let memory = stack.control.resident_mib()?;
    let row = |name: &str, unit, service, required| {
        let (name, required) =
            (format!("{name}, {SESSIONS} followed sessions"), Some(Bound::Below(required)));
        Row { name, unit, service, yardstick: None, required, aim: None, note: "" }
    };
    Ok(vec![
        row("control plane", "MiB", memory, REQUIRED_MIB),
        row("word of a change after its answer", "ms", median(figures), REQUIRED_MS),
    ])
}

impl Follower {
    /// Follows the session of this path, and waits for its first event.
    fn start(stack: &Stack, path: String) -> Result<Self> {
        let host = stack.ready.control_url.strip_prefix("http://").context("not a plain HTTP URL")?;
        let mut stream = TcpStream::connect(host).with_context(|| format!("connect to {host}"))?;
        stream.set_read_timeout(Some(EVENT_LIMIT))?;
        let key = &stack.ready.api_key;
        let request = format!(
            "GET {path}/events HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\naccept: text/event-stream\r\n\r\n"
        );
        stream.write_all(request.as_bytes())?;
        let mut follower = Self { path, stream };
        follower.wait_for("session.created")?;
        Ok(follower)
    }

    /// Waits for an event of this type; returns the time of its arrival.
    fn wait_for(&mut self, kind: &str) -> Result<Instant> {
        let (mut heard, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            let count = self.stream.read(&mut buffer).with_context(|| format!("waiting for {kind}"))?;
            let arrived = Instant::now();
            ensure!(count > 0, "the stream ended before {kind}");
            heard.extend_from_slice(buffer.get(..count).unwrap_or_default());
            // Only the end of a chunk can split the type.
            if heard.windows(kind.len()).any(|window| window == kind.as_bytes()) {
                return Ok(arrived);
            }
        }
    }
}
