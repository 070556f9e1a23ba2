//! A tree read by a direct tool invocation, against the same read over REST: the cost of the tool executor.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::client::{Client, Request};
use crate::load::{Load, medians};
use crate::stack::Stack;
use crate::table::{Bound, Row};

const ROUNDS: usize = 3;
const LOAD: Load = Load { clients: 8, time: Duration::from_secs(3) };
/// Objects of the tree.
const OBJECTS: usize = 1000;
/// Least ratio: a read by a tool may take 1.3 times the duration of one over REST.
const REQUIRED: f64 = 1.0 / 1.3;

/// The row of tools.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let project = format!("/api/v2/projects/{}", stack.session()?.project);
    let post = |client: &mut Client, path: &str, body: &Value, status| -> Result<Value> {
        let headers = ["content-type: application/json".to_owned()];
        let request = Request { method: "POST", path, bearer: &stack.ready.api_key, headers: &headers };
        client.send(&request, body.to_string().as_bytes())?.expect(status)?.json()
    };
    let mut client = Client::connect(&stack.ready.control_url)?;
    let create: Vec<Value> = (0..OBJECTS)
        .map(|n| json!({ "op": "create", "name": format!("Tooth {n}"), "data": { "size": n } }))
        .collect();
    post(&mut client, &format!("{project}/objects/batch"), &json!({ "operations": create }), 201)?;
    let session = post(&mut client, &format!("{project}/sessions"), &json!({}), 201)?;
    let session = session.pointer("/sessionId").and_then(Value::as_str).context("no session")?;
    let (tree, invoke) = (format!("{project}/tree"), format!("{project}/sessions/{session}/tools/invoke"));
    let body = json!({ "toolbox": "project", "tool": "get_tree" });
    let rate = |request: &(dyn Fn(&mut Client) -> Result<()> + Sync)| {
        LOAD.rate(|_| Client::connect(&stack.ready.control_url), |client, _| request(client))
    };
    let by_tool = |client: &mut Client| post(client, &invoke, &body, 200).map(drop);
    let over_rest = |client: &mut Client| {
        let request = Request { method: "GET", path: &tree, bearer: &stack.ready.api_key, headers: &[] };
        client.send(&request, b"")?.expect(200)?.json().map(drop)
    };
    let [tool, rest] = medians(ROUNDS, [&mut |_| rate(&by_tool), &mut |_| rate(&over_rest)])?;
    Ok(vec![Row {
        name: format!("tree of {OBJECTS} objects by a tool, 8 clients"),
        unit: "/s",
        service: tool,
        yardstick: Some(rest),
        required: Some(Bound::Ratio(REQUIRED)),
        aim: None,
        note: "the same read over REST",
    }])
}
