//! Creation of cards in one project, over HTTP, against the same work done by pgbench on the same server: row by row, as the
//! service's own statements one by one, and all of these at once. Sixteen clients at a time, each card with an assignment and an
//! idempotency key.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::client::{Client, Request};
use super::load::{Load, medians};
use super::pgbench::Database;
use super::script::{Varying, marker, pipelined, script};
use super::stack::{Account, Stack, text};
use super::statements::{Executed, capture};
use super::table::{Bound, Row};

/// What the service folds into one statement. The parameters are the first nine of that, and the texts of the card.
const ROW_BY_ROW: &str = include_str!("cards/row_by_row.sql");
const ROUNDS: usize = 3;
const LOAD: Load = Load { clients: 16, time: Duration::from_secs(5) };
/// Of a transaction that writes each row by a statement of its own.
const REQUIRED: f64 = 0.9;
/// A request of each client has a number of its own, and no round has another's.
const NUMBERS_PER_CLIENT: u64 = 1_000_000;
/// Requests that are not in any round.
const OUTSIDE: u64 = 900_000_000_000;
/// Rows that the history has at first, and how many it has grown to when appending must cost the same.
const HISTORY_ROWS: [u64; 2] = [1_000, 1_000_000];
/// Cards in one bulk, and how much faster than single requests they must be created, by one client.
const BULK: u32 = 500;
const BULK_GAIN: f64 = 5.0;
const ALONE: Load = Load { clients: 1, ..LOAD };
/// What appending to the long history must reach of what it reaches with the short one.
const FLAT: f64 = 0.9;

/// Where the cards are created.
struct Desk {
    account: Account,
    project: String,
}

/// The rows of creations.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let desk = Desk::open(stack)?;
    let over_http = |round| over_http(stack, &desk, round);
    let Some(database) = Database::open(&stack.postgres_bin, &stack.ready.database_url)? else {
        let [service] = medians(ROUNDS, [&mut |round| over_http(round)])?;
        return Ok(vec![row("creations of a card, 16 clients", service, None, "skipped: no pgbench")]);
    };
    let scripts = write_scripts(stack, &desk, &database)?;
    let clear = clear(&desk.project);
    let [service, row_by_row, one_by_one, at_once] = medians(
        ROUNDS,
        [
            &mut |round| {
                database.run(&clear)?;
                over_http(round)
            },
            &mut |round| {
                database.run(&clear)?;
                database.rate(&scripts.row_by_row, round, LOAD)
            },
            &mut |round| {
                database.run(&clear)?;
                // Numbers of its own: the other script has used the round's.
                database.rate(&scripts.one_by_one, ROUNDS + round, LOAD)
            },
            &mut |round| {
                database.run(&clear)?;
                database.rate(&scripts.at_once, 2 * ROUNDS + round, LOAD)
            },
        ],
    )?;
    let required = Row {
        required: Some(Bound::Ratio(REQUIRED)),
        ..row(
            "creations of a card, 16 clients",
            service,
            Some(row_by_row),
            "pgbench: a statement for each row",
        )
    };
    let folded =
        row("the same, against the service's own statements", service, Some(one_by_one), "pgbench: these");
    let aimed = Row {
        aim: Some(1.0),
        ..row("the same, against a pipeline", service, Some(at_once), "pgbench: these, sent at once")
    };
    let bulk = bulk(stack, &desk, || database.run(&clear))?;
    Ok(vec![required, folded, aimed, bulk, growth(&database, &desk.project, &clear, over_http)?])
}

/// Many creations in one request, against one in each, by one client.
fn bulk(stack: &Stack, desk: &Desk, clear: impl Fn() -> Result<()>) -> Result<Row> {
    let prepare = |round: usize| {
        move |_| Ok((Client::connect(&stack.ready.control_url)?, u64::try_from(round)? * NUMBERS_PER_CLIENT))
    };
    let [many, single] = medians(
        ROUNDS,
        [
            &mut |round| {
                clear()?;
                let bulks = ALONE
                    .rate(prepare(round), |(client, first), done| create_many(client, desk, *first + done))?;
                Ok(bulks * f64::from(BULK))
            },
            &mut |round| {
                clear()?;
                ALONE.rate(prepare(round), |(client, first), done| create(client, desk, *first + done))
            },
        ],
    )?;
    let required = Some(Bound::Ratio(BULK_GAIN));
    Ok(Row {
        required,
        ..row("creations of a card, 500 in each request", many, Some(single), "one in each request")
    })
}

/// Whether a long history makes appending slower.
fn growth(
    database: &Database,
    project: &str,
    clear: &[String],
    over_http: impl Fn(usize) -> Result<f64>,
) -> Result<Row> {
    let mut rates = [0.0; HISTORY_ROWS.len()];
    for (number, (rows, rate)) in HISTORY_ROWS.iter().zip(&mut rates).enumerate() {
        database.run(clear)?;
        database.run(&[grow_history(project, *rows), "vacuum analyze".to_owned()])?;
        [*rate] = medians(ROUNDS, [&mut |round| over_http(2 * ROUNDS + number * ROUNDS + round)])?;
    }
    let [short, long] = rates;
    let name = "creations of a card with 10^6 rows of history";
    let required = Some(Bound::Ratio(FLAT));
    Ok(Row { required, ..row(name, long, Some(short), "the same with 10^3 rows") })
}

fn row(name: &str, service: f64, yardstick: Option<f64>, note: &'static str) -> Row {
    let name = name.to_owned();
    Row { name, unit: "/s", service, yardstick, required: None, aim: None, note }
}

/// What a round finds: no cards, and no keys. Past the trigger that keeps history, which only a database that is thrown
/// away can do without.
fn clear(project: &str) -> Vec<String> {
    [
        "alter table card_history disable trigger card_history_append_only",
        "truncate card_history, idempotency_records",
        &format!("delete from cards where project_id = '{project}'"),
        "alter table card_history enable trigger card_history_append_only",
        "vacuum analyze",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// History of cards that are gone.
fn grow_history(project: &str, rows: u64) -> String {
    format!(
        "insert into card_history
            (card_id, sequence, id, project_id, kind, actor_user_id, changes, occurred_at)
        select gen_random_uuid(), nextval('card_history_sequence'), gen_random_uuid(), '{project}', 'updated',
            gen_random_uuid(), '{{\"effort\": {{\"before\": 1, \"after\": 2}}}}', now()
        from generate_series(1, {rows})"
    )
}

impl Desk {
    fn open(stack: &Stack) -> Result<Self> {
        let account = stack.account(OUTSIDE)?;
        let mut client = Client::connect(&stack.ready.control_url)?;
        let headers = ["content-type: application/json".to_owned()];
        let request =
            Request { method: "POST", path: "/api/v2/projects", bearer: &account.key, headers: &headers };
        let body = json!({ "name": "Bench" }).to_string();
        let created = client.send(&request, body.as_bytes())?.expect(201)?.json()?;
        Ok(Self { account, project: text(&created, "/id")? })
    }
}

/// Creates cards, all clients in the same project.
fn over_http(stack: &Stack, desk: &Desk, round: usize) -> Result<f64> {
    let (round, clients) = (u64::try_from(round)?, u64::try_from(LOAD.clients)?);
    let prepare = |number: usize| {
        let first = (round * clients + u64::try_from(number)?) * NUMBERS_PER_CLIENT;
        Ok((Client::connect(&stack.ready.control_url)?, first))
    };
    LOAD.rate(prepare, |(client, first), done| create(client, desk, *first + done))
}

/// Creates one card with a name and an idempotency key of its own.
fn create(client: &mut Client, desk: &Desk, number: u64) -> Result<()> {
    let Desk { account, project } = desk;
    let marker = marker(number);
    let headers = ["content-type: application/json".to_owned(), format!("idempotency-key: bench-{marker}")];
    let path = format!("/api/v2/projects/{project}/cards");
    let body = json!({ "name": format!("Bench {marker}"), "assigneeId": account.user }).to_string();
    let request = Request { method: "POST", path: &path, bearer: &account.key, headers: &headers };
    client.send(&request, body.as_bytes())?.expect(201).map(drop)
}

/// Creates cards by one request.
fn create_many(client: &mut Client, desk: &Desk, number: u64) -> Result<()> {
    let Desk { account, project } = desk;
    let operation = |card| {
        let name = format!("Bench {} {card}", marker(number));
        json!({ "op": "create", "name": name, "assigneeId": account.user })
    };
    let body = json!({ "operations": (0..BULK).map(operation).collect::<Vec<_>>() }).to_string();
    let key = format!("idempotency-key: bulk-{}", marker(number));
    let headers = ["content-type: application/json".to_owned(), key];
    let path = format!("/api/v2/projects/{project}/cards/bulk");
    let request = Request { method: "POST", path: &path, bearer: &account.key, headers: &headers };
    client.send(&request, body.as_bytes())?.expect(200).map(drop)
}

struct Scripts {
    row_by_row: PathBuf,
    one_by_one: PathBuf,
    at_once: PathBuf,
}

/// Writes what pgbench is to do: what the service does for a creation.
fn write_scripts(stack: &Stack, desk: &Desk, database: &Database) -> Result<Scripts> {
    let mut client = Client::connect(&stack.ready.control_url)?;
    let mut numbers = OUTSIDE..;
    let request = || {
        let number = numbers.next().context("no more numbers")?;
        create(&mut client, desk, number)?;
        Ok(marker(number))
    };
    let (statements, marker) = capture(database, &stack.service_folder.join("postgres.log"), request)?;
    let kept = [&desk.project, &desk.account.user, &desk.account.key_id].map(String::as_str);
    let varying = Varying { clients: LOAD.clients, accounts: &[], kept: &kept, marker: &marker };
    let one_by_one = script(&statements, &varying);
    let row_by_row = script(&unfolded(&statements)?, &varying);
    let scripts = Scripts {
        row_by_row: stack.scratch.join("card-row-by-row.sql"),
        one_by_one: stack.scratch.join("card.sql"),
        at_once: stack.scratch.join("card-at-once.sql"),
    };
    std::fs::write(&scripts.row_by_row, row_by_row)?;
    std::fs::write(&scripts.at_once, pipelined(&one_by_one))?;
    std::fs::write(&scripts.one_by_one, one_by_one)?;
    Ok(scripts)
}

/// The same transaction with what its one statement of creation does as statements of their own: two rows of history, the
/// card, its index row, its assignment, and the looks at what it refers to.
fn unfolded(statements: &[Executed]) -> Result<Vec<Executed>> {
    let (place, creation) = statements
        .iter()
        .enumerate()
        .find(|(_, executed)| executed.sql.contains("into card_history"))
        .context("the service sent no creation")?;
    let (of_history, rest) = creation.parameters.split_at_checked(9).context("too few parameters")?;
    let cards: Value = serde_json::from_str(rest.first().and_then(Option::as_deref).unwrap_or_default())?;
    let mut parameters = of_history.to_vec();
    for field in ["id", "name", "description", "resolution", "effort", "search_document"] {
        let value = cards.pointer(&format!("/0/{field}")).context("a card lacks a field")?;
        parameters.push(Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    }
    let single = |sql: &str| Executed { sql: sql.to_owned(), parameters: parameters.clone() };
    let single = ROW_BY_ROW.split(';').map(str::trim).filter(|sql| !sql.is_empty()).map(single);
    let mut all = statements.to_vec();
    all.splice(place..=place, single);
    Ok(all)
}
