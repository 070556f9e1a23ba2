//! A team's board of 2,000 cards: whole reads, reads by `If-None-Match`, moves, and reads of what these changed.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::client::{Client, Request};
use crate::load::{Load, medians};
use crate::stack::Stack;
use crate::table::{Bound, Row};

const CARDS: usize = 2_000;
const COLUMNS: usize = 4;
const ROUNDS: usize = 3;
const LOAD: Load = Load { clients: 4, time: Duration::from_secs(3) };
/// Least ratio of unchanged reads to those of the project's record.
const UNCHANGED: f64 = 0.7;
const JSON: &str = "content-type: application/json";

/// A board with its columns and some of its cards.
pub(super) struct Board {
    pub(super) path: String,
    project: String,
    columns: Vec<String>,
    /// One for each client.
    cards: Vec<String>,
    tag: String,
}

/// The rows of boards.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let board = fill(stack)?;
    let connect = |_| Client::connect(&stack.ready.control_url);
    let read = |path: &str, headers: &[String], status| {
        LOAD.rate(connect, |client: &mut Client, _| {
            let bearer = &stack.ready.api_key;
            client.send(&Request { method: "GET", path, bearer, headers }, b"")?.expect(status).map(drop)
        })
    };
    let (path, record) = (format!("{}/board", board.path), format!("/api/v2/projects/{}", board.project));
    let known = [format!("if-none-match: {}", board.tag)];
    let moving = || {
        let prepare = |number: usize| {
            let card = board.cards.get(number).context("a card for each client")?;
            Ok((Client::connect(&stack.ready.control_url)?, format!("{}/cards/{card}", board.path)))
        };
        LOAD.rate(prepare, |(client, path), turn| {
            let column = usize::try_from(turn)? % board.columns.len();
            let body = json!({ "statusId": board.columns.get(column) }).to_string();
            let (bearer, headers) = (&stack.ready.api_key, &[JSON.to_owned()]);
            let request = Request { method: "PUT", path: path.as_str(), bearer, headers };
            client.send(&request, body.as_bytes())?.expect(200).map(drop)
        })
    };
    // Reads come first: each move changes the board's tag.
    let [whole, unchanged, record] = medians(
        ROUNDS,
        [&mut |_| read(&path, &[], 200), &mut |_| read(&path, &known, 304), &mut |_| read(&record, &[], 200)],
    )?;
    let [moves] = medians(ROUNDS, [&mut |_| moving()])?;
    let since = format!("{path}/changes?since={}", board.tag.trim_matches('"'));
    let [changes] = medians(ROUNDS, [&mut |_| read(&since, &[], 200)])?;
    let row = |name: &str, service| {
        let name = format!("{name}, {} clients", LOAD.clients);
        Row { name, unit: "/s", service, yardstick: None, required: None, aim: None, note: "" }
    };
    Ok(vec![
        row("reads of a board of 2,000 cards", whole),
        Row {
            yardstick: Some(record),
            required: Some(Bound::Ratio(UNCHANGED)),
            note: "reads of the project's record",
            ..row("the same, unchanged since", unchanged)
        },
        row("moves on it", moves),
        row("reads of its changes since", changes),
    ])
}

/// Creates a board of [`CARDS`] cards in [`COLUMNS`] columns.
pub(super) fn fill(stack: &Stack) -> Result<Board> {
    let mut client = Client::connect(&stack.ready.control_url)?;
    let mut call = |method: &str, path: &str, body: Value| -> Result<Value> {
        let headers = [JSON.to_owned()];
        let request = Request { method, path, bearer: &stack.ready.api_key, headers: &headers };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = client.send(&request, body.as_bytes())?;
        let status = if method == "POST" { 201 } else { 200 };
        answer.expect(status)?.json()
    };
    let id = |value: &Value, pointer: &str| -> Result<String> {
        Ok(value.pointer(pointer).and_then(Value::as_str).context("no id")?.to_owned())
    };
    let org = &stack.ready.org_id;
    let project = call("POST", "/api/v2/projects", json!({ "name": "Board", "orgId": org }))?;
    let project = id(&project, "/id")?;
    let teams = format!("/api/v2/orgs/{org}/teams");
    let team = call("POST", &teams, json!({ "name": format!("Board of {project}") }))?;
    let path = format!("{teams}/{}", id(&team, "/team/id")?);
    call("PUT", &format!("{path}/projects/{project}"), Value::Null)?;
    let mut columns = Vec::new();
    for number in 0..COLUMNS {
        let made = call("POST", &format!("{path}/statuses"), json!({ "name": format!("Column {number}") }))?;
        columns.push(id(&made, "/status/id")?);
    }
    let mut cards = Vec::new();
    for number in 0..CARDS {
        let body = json!({ "name": format!("Card {number}"), "effort": number % 8, "assigneeId": stack.ready.user_id });
        let card = call("POST", &format!("/api/v2/projects/{project}/cards"), body)?;
        let card = id(&card, "/card/id")?;
        let place = json!({ "statusId": columns.get(number % COLUMNS) });
        call("PUT", &format!("{path}/cards/{card}"), place)?;
        cards.push(card);
    }
    let tag = {
        let path = format!("{path}/board");
        let request = Request { method: "GET", path: &path, bearer: &stack.ready.api_key, headers: &[] };
        client.send(&request, b"")?.expect(200)?.etag.context("a board has a tag")?
    };
    Ok(Board { path, project, columns, cards, tag })
}
