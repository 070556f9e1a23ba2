//! Pages of cards filtered by two fields, in the order of a project's own field. The yardsticks are pgbench on the same
//! server with a plain statement for the filter, and with one that reads nothing.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::MILLIS;
use super::filled::FilledProject;
use crate::client::{Answer, Client, Request};
use crate::groups::Tell;
use crate::load::{Load, medians};
use crate::log;
use crate::pgbench::{Database, Plans};
use crate::script::verbatim;
use crate::stack::Stack;
use crate::statements::Statement;
use crate::table::{Bound, Row};

/// A page in the order of field `$1` of project `$2`. [`CONDITION`] stands for the filter.
const BARE: &str = include_str!("bare.sql");
const CONDITION: &str = "and true";
const CARDS: u32 = 1_000_000;
const ROUNDS: usize = 3;
const LOAD: Load = Load { clients: 8, time: Duration::from_secs(2) };
const ONE_CLIENT: Load = Load { clients: 1, ..LOAD };
/// Aim of a page, in milliseconds.
const PAGE_MILLIS: f64 = 30.0;

/// A filter by two fields.
struct Pair {
    name: &'static str,
    /// Its parameters in a request.
    query: String,
    /// Its conditions on a card `c` of weight `v`.
    conditions: String,
}

/// The rows of pages, two for each pair of fields.
pub(super) fn measure(stack: &Stack, database: &Database, tell: Tell<'_>) -> Result<()> {
    let project = FilledProject::fill(stack, database, stack.scaled(CARDS))?;
    let nothing = stack.scratch.join("nothing.sql");
    std::fs::write(&nothing, "select 1;\n")?;
    for pair in pairs(&project)? {
        log(format_args!("pages of {} cards by {}", project.cards, pair.name));
        let path = format!("/api/v2/projects/{}/cards?sort=field-Weight&{}", project.id, pair.query);
        let found = page(&mut Client::connect(&stack.ready.control_url)?, stack, &path)?;
        ensure!(cards(&found.json()?) > 0, "no card is on the page by {}", pair.name);
        let ours = |load: Load| {
            let connect = |_| Client::connect(&stack.ready.control_url);
            load.rate(connect, |client, _| page(client, stack, &path).map(drop))
        };
        let (script, variables) = verbatim(&[bare(&project, &pair)]);
        let file = stack.scratch.join("page.sql");
        std::fs::write(&file, script)?;
        let [service, bare, alone, least] = medians(
            ROUNDS,
            [
                &mut |_| ours(LOAD),
                &mut |_| database.rate_with(&file, &variables, Plans::Automatic, LOAD),
                &mut |_| ours(ONE_CLIENT),
                &mut |_| database.rate_with(&nothing, &[], Plans::Automatic, ONE_CLIENT),
            ],
        )?;
        let row = |name: String, unit, (service, yardstick), aim, note| Row {
            name,
            unit,
            service,
            yardstick: Some(yardstick),
            required: None,
            aim,
            note,
        };
        let name = format!("pages of {} cards by {}", project.cards, pair.name);
        let aim = Some(Bound::Below(PAGE_MILLIS));
        tell(vec![
            row(name, "/s", (service, bare), None, "pgbench: the bare statement"),
            row(
                "  one at a time".to_owned(),
                "ms",
                (MILLIS / alone, MILLIS / least),
                aim,
                "pgbench: select 1",
            ),
        ])?;
    }
    Ok(())
}

/// Pairs of fields, from frequent values to rare ones.
fn pairs(project: &FilledProject) -> Result<[Pair; 6]> {
    let (tag, user) = (project.tag()?, project.user()?);
    let (supplier, supplier_id) = project.one_supplier()?;
    let FilledProject { supplier: supplier_field, delivery: delivery_field, .. } = project;
    let value = |field: &str, test: &str| {
        format!(
            "and exists (select from card_field_values w where w.card_id = c.id and w.field_id = '{field}' and {test})"
        )
    };
    let of_supplier = value(supplier_field, &format!("w.text = '{supplier_id}'"));
    let in_march = value(delivery_field, "w.text between '2026-03-01' and '2026-03-31'");
    let has_tag =
        format!("and exists (select from card_tag_links l where l.card_id = c.id and l.tag_id = '{tag}')");
    let is_users =
        format!("and exists (select from card_assignees a where a.card_id = c.id and a.user_id = '{user}')");
    let both = r#"{"Supplier":"NAME","Delivery":{"from":"2026-03-01","to":"2026-03-31"}}"#;
    let both = fields(&both.replace("NAME", supplier));
    let one = fields(&format!(r#"{{"Supplier":"{supplier}"}}"#));
    let heavy = fields(r#"{"Weight":{"from":9000}}"#);
    Ok([
        Pair {
            name: "tag and state",
            query: format!("tag={tag}&open=true"),
            conditions: format!("{has_tag} and c.is_open"),
        },
        Pair {
            name: "own field and priority",
            query: format!("{one}&priority=high"),
            conditions: format!("{of_supplier} and c.priority = 'high'"),
        },
        Pair { name: "two own fields", query: both, conditions: format!("{of_supplier} {in_march}") },
        Pair {
            name: "type and tag",
            query: format!("type=change&tag={tag}"),
            conditions: format!("{has_tag} and c.type = 'change'"),
        },
        Pair {
            name: "priority and assignee",
            query: format!("priority=urgent&assignee={user}"),
            conditions: format!("{is_users} and c.priority = 'urgent'"),
        },
        // The walk in the order of weights begins at the other end.
        Pair {
            name: "a range of numbers and assignee",
            query: format!("{heavy}&assignee={user}"),
            conditions: format!("{is_users} and v.number >= 9000"),
        },
    ])
}

/// The parameter of tests of own fields.
fn fields(json: &str) -> String {
    let encoded = json.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    format!("fields={}", encoded.collect::<String>())
}

fn bare(project: &FilledProject, pair: &Pair) -> Statement {
    let sql = BARE.replace(CONDITION, &pair.conditions);
    Statement { sql, parameters: vec![Some(project.weight.clone()), Some(project.id.clone())] }
}

fn page(client: &mut Client, stack: &Stack, path: &str) -> Result<Answer> {
    let request = Request { method: "GET", path, bearer: &stack.ready.api_key, headers: &[] };
    client.send(&request, b"")?.expect(200)
}

fn cards(page: &Value) -> usize {
    page.pointer("/cards").and_then(Value::as_array).map_or(0, Vec::len)
}
