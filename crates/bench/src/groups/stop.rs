//! The time to stop a run while its model answers: from the request to the answer that it is paused.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::client::{Client, Request};
use crate::load::median;
use crate::stack::{Stack, text};
use crate::table::{Bound, Row};

const ROUNDS: usize = 30;
/// Longest time until the model is called.
const ASK_LIMIT: Duration = Duration::from_secs(10);
/// Longest time of a stop.
const REQUIRED_MS: f64 = 100.0;

/// The row of stopping.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let project = stack.session()?.project;
    let mut client = Client::connect(&stack.ready.control_url)?;
    let mut post = |path: &str, body: &Value, status| -> Result<Value> {
        let headers = ["content-type: application/json".to_owned()];
        let request = Request { method: "POST", path, bearer: &stack.ready.api_key, headers: &headers };
        client.send(&request, body.to_string().as_bytes())?.expect(status)?.json()
    };
    let sessions = format!("/api/v2/projects/{project}/sessions");
    let session = format!("{sessions}/{}", text(&post(&sessions, &json!({}), 201)?, "/sessionId")?);
    let (prompt, stop) = (format!("{session}/prompt"), format!("{session}/stop"));
    let mut figures = Vec::new();
    for _ in 0..ROUNDS {
        let answers = stack.model.answers();
        post(&prompt, &json!({ "prompt": "Go on." }), 202)?;
        let asked = Instant::now();
        while stack.model.answers() == answers {
            ensure!(asked.elapsed() < ASK_LIMIT, "the model was not called");
            std::thread::sleep(Duration::from_millis(1));
        }
        // Some of the answer has arrived and was published by then.
        std::thread::sleep(Duration::from_millis(200));
        let began = Instant::now();
        let stopped = post(&stop, &json!({}), 200)?;
        figures.push(began.elapsed().as_secs_f64() * 1_000.0);
        ensure!(text(&stopped, "/status")? == "paused", "not stopped: {stopped}");
    }
    Ok(vec![Row {
        name: "a run is stopped while its model speaks".to_owned(),
        unit: "ms",
        service: median(figures),
        yardstick: None,
        required: Some(Bound::Below(REQUIRED_MS)),
        aim: None,
        note: "",
    }])
}
