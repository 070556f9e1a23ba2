//! Slow requests of one user while another one asks for too much: the fairness of both planes' threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};

use crate::client::{Client, Request};
use crate::load::median;
use crate::stack::{Stack, text};
use crate::table::{Bound, Row};

const ROUNDS: usize = 5;
/// Time of reads in each half of a round.
const TIME: Duration = Duration::from_secs(2);
/// One of this many reads is slower than the figure.
const SLOW_OF: usize = 20;
/// A neighbour's work may take the reads this many times as long.
const REQUIRED: f64 = 2.0;
/// Number of the account that reads; other groups count theirs from zero.
const READER: u64 = 900_000;

/// Python that keeps all cores busy with threads that hold no lock of the interpreter: they hash.
const THREADS: &str = "import hashlib, threading, time
end = time.time() + 20
def spin():
    while time.time() < end:
        hashlib.sha256(bytes(1 << 20)).digest()
for _ in range(64):
    try:
        threading.Thread(target=spin).start()
    except RuntimeError:
        break
";

/// The rows of neighbours.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let reader = stack.account(READER)?.key;
    let session = stack.session()?;
    let project = format!("/api/v2/projects/{}", session.project);
    let bulk = format!("{project}/cards/bulk");
    let operations = json!({ "operations": vec![json!({}); 100_000] }).to_string();
    let unknown: serde_json::Map<String, Value> =
        (0..80_000).map(|number| (format!("{number:x}"), Value::Null)).collect();
    let unknown = Value::from(unknown).to_string();
    let wrong = |path: String, body: String| {
        move |client: &mut Client| {
            let headers = ["content-type: application/json".to_owned()];
            let request =
                Request { method: "POST", path: &path, bearer: &stack.ready.api_key, headers: &headers };
            client.send(&request, body.as_bytes())?.expect(400).map(drop)
        }
    };
    let mut rows = vec![
        row(stack, &reader, "100,000 empty operations", wrong(bulk, operations))?,
        row(stack, &reader, "80,000 unknown fields", wrong(format!("{project}/cards"), unknown))?,
    ];
    let code = json!({ "name": "spin", "type": "Code", "data": { "language": "python", "text": THREADS } });
    let created = post(stack, &format!("{project}/objects"), &code, 201)?;
    let ask = json!({ "objectId": text(&created, "/object/id")? });
    let opened = post(stack, &format!("{project}/sessions"), &json!({}), 201)?;
    let executions = format!("{project}/sessions/{}/executions", text(&opened, "/sessionId")?);
    let execute = |_: &mut Client| -> Result<()> {
        let started = post(stack, &executions, &ask, 201)?;
        std::thread::sleep(TIME);
        let stop = format!("{executions}/{}/stop", text(&started, "/execution/executionId")?);
        post(stack, &stop, &json!({}), 200).map(drop)
    };
    rows.push(row(stack, &reader, "code of 64 threads", execute)?);
    Ok(rows)
}

/// Reads of a user alone and beside a neighbour who repeats `annoy`, in turns.
fn row(
    stack: &Stack,
    reader: &str,
    what: &str,
    annoy: impl Fn(&mut Client) -> Result<()> + Sync,
) -> Result<Row> {
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(slow_read_ms(stack, reader)?);
        let over = AtomicBool::new(false);
        let figure = std::thread::scope(|scope| {
            let neighbour = scope.spawn(|| -> Result<()> {
                let mut client = Client::connect(&stack.ready.control_url)?;
                while !over.load(Ordering::Relaxed) {
                    annoy(&mut client)?;
                }
                Ok(())
            });
            let figure = slow_read_ms(stack, reader);
            over.store(true, Ordering::Relaxed);
            neighbour.join().map_err(|_| anyhow!("the neighbour panicked"))??;
            figure
        })?;
        beside.push(figure);
    }
    Ok(Row {
        name: format!("a user's slow reads (p95) beside {what} of another"),
        unit: "ms",
        service: median(beside),
        yardstick: Some(median(alone)),
        required: Some(Bound::Times(REQUIRED)),
        aim: None,
        note: "the same reads alone",
    })
}

/// The duration of a slow one of many reads of `/me`, in milliseconds.
fn slow_read_ms(stack: &Stack, key: &str) -> Result<f64> {
    let mut client = Client::connect(&stack.ready.control_url)?;
    let request = Request { method: "GET", path: "/api/v2/me", bearer: key, headers: &[] };
    let (began, mut figures) = (Instant::now(), Vec::new());
    while began.elapsed() < TIME {
        let sent = Instant::now();
        client.send(&request, b"")?.expect(200)?;
        figures.push(sent.elapsed().as_secs_f64() * 1_000.0);
    }
    figures.sort_by(f64::total_cmp);
    let rank = figures.len() - figures.len() / SLOW_OF;
    figures.get(rank.saturating_sub(1)).copied().context("no read was answered")
}

fn post(stack: &Stack, path: &str, body: &Value, status: u16) -> Result<Value> {
    let headers = ["content-type: application/json".to_owned()];
    let request = Request { method: "POST", path, bearer: &stack.ready.api_key, headers: &headers };
    let mut client = Client::connect(&stack.ready.control_url)?;
    client.send(&request, body.to_string().as_bytes())?.expect(status)?.json()
}
