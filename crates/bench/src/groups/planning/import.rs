//! An import of cards from a table. The yardstick is the creation of the same number of cards by one client, 500 in each
//! request.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::client::{Client, Request};
use crate::groups::Tell;
use crate::load::medians;
use crate::log;
use crate::stack::{Stack, text};
use crate::table::{Bound, Row};

const CARDS: u32 = 20_000;
/// Cards of a request of the yardstick.
const BULK: u32 = 500;
const ROUNDS: usize = 3;
/// Aim, in cards per second.
const CARDS_PER_SECOND: f64 = 2_000.0;
/// Pause between two looks at the import.
const POLL: Duration = Duration::from_millis(20);
/// Longest time of an import.
const LIMIT: Duration = Duration::from_secs(300);

/// The row of imports.
pub(super) fn measure(stack: &Stack, tell: Tell<'_>) -> Result<()> {
    let cards = stack.scaled(CARDS);
    log(format_args!("importing {cards} cards"));
    let [import, bulk] = medians(
        ROUNDS,
        [&mut |_| import(stack, &project(stack)?, cards), &mut |_| create(stack, &project(stack)?, cards)],
    )?;
    tell(vec![Row {
        name: format!("import of {cards} cards from a table"),
        unit: "/s",
        service: import,
        yardstick: Some(bulk),
        required: None,
        aim: Some(Bound::AtLeast(CARDS_PER_SECOND)),
        note: "500 created in each request",
    }])
}

fn project(stack: &Stack) -> Result<String> {
    let body = json!({ "name": "Import", "orgId": stack.ready.org_id }).to_string();
    text(&stack.call("POST", "/api/v2/projects", &body, 201)?, "/id")
}

/// Imported cards per second, from the form's first byte to the end of the import.
fn import(stack: &Stack, project: &str, cards: u32) -> Result<f64> {
    let form = form(project, &table(cards)?);
    let imports = format!("/api/v2/orgs/{}/imports", stack.ready.org_id);
    let headers = ["content-type: multipart/form-data; boundary=frontier".to_owned()];
    let mut client = Client::connect(&stack.ready.control_url)?;
    let mut send = |method, path: &str, body: &[u8], status| -> Result<Value> {
        let request = Request { method, path, bearer: &stack.ready.api_key, headers: &headers };
        client.send(&request, body)?.expect(status)?.json()
    };
    let begun = Instant::now();
    let mut import = send("POST", &imports, form.as_bytes(), 201)?;
    let path = format!("{imports}/{}", text(&import, "/import/id")?);
    while import.pointer("/import/state").is_some_and(|state| state == "running") {
        ensure!(begun.elapsed() < LIMIT, "the import takes too long: {import}");
        std::thread::sleep(POLL);
        import = send("GET", &path, b"", 200)?;
    }
    let taken = begun.elapsed();
    let created = import.pointer("/import/counts/created").and_then(Value::as_u64);
    ensure!(created == Some(cards.into()), "not all cards were imported: {import}");
    Ok(f64::from(cards) / taken.as_secs_f64())
}

/// Cards per second by requests that create many.
fn create(stack: &Stack, project: &str, cards: u32) -> Result<f64> {
    let path = format!("/api/v2/projects/{project}/cards/bulk");
    let headers = ["content-type: application/json".to_owned()];
    let mut client = Client::connect(&stack.ready.control_url)?;
    let begun = Instant::now();
    for first in (0..cards).step_by(usize::try_from(BULK)?) {
        let operation = |number| {
            let [name, priority, kind] = facts(number);
            json!({ "op": "create", "name": name, "priority": priority, "type": kind })
        };
        let operations: Vec<Value> = (first..cards.min(first + BULK)).map(operation).collect();
        let body = json!({ "atomic": true, "operations": operations }).to_string();
        let request =
            Request { method: "POST", path: &path, bearer: &stack.ready.api_key, headers: &headers };
        client.send(&request, body.as_bytes())?.expect(200)?;
    }
    Ok(f64::from(cards) / begun.elapsed().as_secs_f64())
}

/// Name, priority and type of a card.
fn facts(number: u32) -> [String; 3] {
    let priority = if number.is_multiple_of(3) { "high" } else { "low" };
    let kind = if number.is_multiple_of(7) { "bug" } else { "task" };
    [format!("Fit part {number} into the frame"), priority.to_owned(), kind.to_owned()]
}

/// The cards as CSV.
fn table(cards: u32) -> Result<String> {
    let mut table = "Nr,Title,Urgency,Kind\r\n".to_owned();
    for number in 0..cards {
        let [name, priority, kind] = facts(number);
        write!(table, "{number},{name},{priority},{kind}\r\n")?;
    }
    Ok(table)
}

/// The form of an import.
fn form(project: &str, table: &str) -> String {
    let columns = json!({ "Nr": "id", "Title": "name", "Urgency": "priority", "Kind": "kind" }).to_string();
    let mut form = String::new();
    for (name, value) in [("tool", "csv"), ("projectId", project), ("columns", columns.as_str())] {
        form.extend([
            "--frontier\r\nContent-Disposition: form-data; name=\"",
            name,
            "\"\r\n\r\n",
            value,
            "\r\n",
        ]);
    }
    form.extend([
        "--frontier\r\nContent-Disposition: form-data; name=\"file\"; filename=\"cards.csv\"\r\n",
        "Content-Type: text/csv\r\n\r\n",
        table,
        "\r\n--frontier--\r\n",
    ]);
    form
}
