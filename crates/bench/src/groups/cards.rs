//! Creation of cards in one project over HTTP, by 16 clients, each card with an assignment and an idempotency key. The
//! yardsticks are pgbench on the same server with a statement for each row, with the service's statements one by one, and
//! with these as a pipeline.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::client::{Client, Request};
use crate::load::{Load, medians};
use crate::pgbench::Database;
use crate::script::{Variation, marker, pipelined, script};
use crate::stack::{Account, Stack, text};
use crate::statements::{Statement, capture};
use crate::table::{Bound, Row};

/// The service's creating statement as one statement for each row. Its parameters are the first nine of the original, and
/// the texts of the card.
const ROW_BY_ROW: &str = include_str!("cards/row_by_row.sql");
const ROUNDS: usize = 3;
const LOAD: Load = Load { clients: 16, time: Duration::from_secs(5) };
/// Least ratio to a transaction with a statement for each row.
const REQUIRED: f64 = 0.9;
/// Numbers of a client's requests. No [round](CardProject::round) repeats one.
const NUMBERS_PER_CLIENT: u64 = 1_000_000;
/// First number of requests outside of rounds.
const OUTSIDE: u64 = 900_000_000_000;
/// Cards that exist before the first measurement. For empty tables PostgreSQL plans sequential scans, and keeps these
/// plans while the tables fill.
const CARDS: u64 = 20_000;
/// Rows of the long history.
const HISTORY_ROWS: u64 = 10_000_000;
/// Cards in one bulk request, and the least ratio of their rate to that of single requests, by one client.
const BULK: u32 = 500;
const BULK_GAIN: f64 = 5.0;
const ONE_CLIENT: Load = Load { clients: 1, ..LOAD };
/// Least ratio of the rate with the long history to the one with the short history.
const FLAT: f64 = 0.9;

/// The project in which cards are created.
struct CardProject {
    account: Account,
    project: String,
    rounds: AtomicUsize,
}

/// The rows of creations.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let target = CardProject::open(stack)?;
    let over_http = || over_http(stack, &target);
    let Some(database) = Database::open(&stack.postgres_bin, &stack.ready.database_url)? else {
        let [service] = medians(ROUNDS, [&mut |_| over_http()])?;
        return Ok(vec![row("creations of a card, 16 clients", service, None, "skipped: no pgbench")]);
    };
    let scripts = write_scripts(stack, &target, &database)?;
    database.run(&[seed(&target)])?;
    // Each contestant begins with fresh statistics, and after a checkpoint, which makes full-page writes equal.
    let settle = || database.run(&["vacuum analyze", "checkpoint"]);
    let [service, row_by_row, one_by_one, at_once] = medians(
        ROUNDS,
        [
            &mut |_| {
                settle()?;
                over_http()
            },
            &mut |_| {
                settle()?;
                database.rate(&scripts.row_by_row, target.round(), LOAD)
            },
            &mut |_| {
                settle()?;
                database.rate(&scripts.one_by_one, target.round(), LOAD)
            },
            &mut |_| {
                settle()?;
                database.rate(&scripts.at_once, target.round(), LOAD)
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
        aim: Some(Bound::Ratio(1.0)),
        ..row("the same, against a pipeline", service, Some(at_once), "pgbench: these, sent at once")
    };
    let bulk = bulk(stack, &target, settle)?;
    Ok(vec![required, folded, aimed, bulk, growth(&database, &target.project, settle, over_http)?])
}

/// Bulk requests against single requests, by one client.
fn bulk(stack: &Stack, target: &CardProject, settle: impl Fn() -> Result<()>) -> Result<Row> {
    let prepare = || {
        let round = target.round();
        move |_| Ok((Client::connect(&stack.ready.control_url)?, first_number(round, 0)?))
    };
    let [many, single] = medians(
        ROUNDS,
        [
            &mut |_| {
                settle()?;
                let bulks = ONE_CLIENT
                    .rate(prepare(), |(client, first), done| create_many(client, target, *first + done))?;
                Ok(bulks * f64::from(BULK))
            },
            &mut |_| {
                settle()?;
                ONE_CLIENT.rate(prepare(), |(client, first), done| create(client, target, *first + done))
            },
        ],
    )?;
    let required = Some(Bound::Ratio(BULK_GAIN));
    Ok(Row {
        required,
        ..row("creations of a card, 500 in each request", many, Some(single), "one in each request")
    })
}

/// Creations with a long history against those with a short one.
fn growth(
    database: &Database,
    project: &str,
    settle: impl Fn() -> Result<()>,
    over_http: impl Fn() -> Result<f64>,
) -> Result<Row> {
    let rate = || -> Result<f64> {
        settle()?;
        let [rate] = medians(ROUNDS, [&mut |_| over_http()])?;
        Ok(rate)
    };
    let short = rate()?;
    database.run(&[grow_history(project)])?;
    let long = rate()?;
    let required = Some(Bound::Ratio(FLAT));
    Ok(Row {
        required,
        ..row("creations of a card with 10^7 rows of history", long, Some(short), "the same before")
    })
}

fn row(name: &str, service: f64, yardstick: Option<f64>, note: &'static str) -> Row {
    let name = name.to_owned();
    Row { name, unit: "/s", service, yardstick, required: None, aim: None, note }
}

/// Inserts cards with the rows that a creation writes.
fn seed(target: &CardProject) -> String {
    let CardProject { account, project, .. } = target;
    let (user, key) = (&account.user, &account.key_id);
    format!(
        "with seeds as materialized (
            select n, gen_random_uuid() as id, gen_random_uuid() as head, 'seed ' || md5(n::text) as name
            from generate_series(1, {CARDS}) n
        ),
        seeded_history as (
            insert into card_history (card_id, id, project_id, kind, actor_user_id, actor_key_id, changes, occurred_at)
            select id, head, '{project}', 'created', '{user}', '{key}', '{{}}', now() from seeds
            returning card_id, id, sequence
        ),
        seeded_cards as (
            insert into cards (
                id, project_id, name, description, resolution, effort, is_open, created_by, created_at, updated_at,
                history_head_id, history_head_sequence
            )
            select s.id, '{project}', s.name, '', '', 0, true, '{user}', now(), now(), h.id, h.sequence
            from seeds s join seeded_history h on h.card_id = s.id
        ),
        seeded_index_cards as (
            insert into index_cards (card_id, project_id, is_open, user_ids, search_document)
            select id, '{project}', true, array['{user}']::uuid[], name from seeds
        ),
        seeded_assignees as (
            insert into card_assignees (card_id, user_id, assigned_at) select id, '{user}', now() from seeds
        )
        insert into idempotency_records (scope_id, operation, key, outcome, created_at, expires_at)
        select '{key}', 'seed', name, '{{}}', now(), now() + interval '1 day' from seeds"
    )
}

/// Inserts history of deleted cards.
fn grow_history(project: &str) -> String {
    format!(
        "insert into card_history
            (card_id, sequence, id, project_id, kind, actor_user_id, changes, occurred_at)
        select gen_random_uuid(), nextval('card_history_sequence'), gen_random_uuid(), '{project}', 'updated',
            gen_random_uuid(), '{{\"effort\": {{\"before\": 1, \"after\": 2}}}}', now()
        from generate_series(1, {HISTORY_ROWS})"
    )
}

impl CardProject {
    fn open(stack: &Stack) -> Result<Self> {
        let account = stack.account(OUTSIDE)?;
        let mut client = Client::connect(&stack.ready.control_url)?;
        let headers = ["content-type: application/json".to_owned()];
        let request =
            Request { method: "POST", path: "/api/v2/projects", bearer: &account.key, headers: &headers };
        let body = json!({ "name": "Bench" }).to_string();
        let created = client.send(&request, body.as_bytes())?.expect(201)?.json()?;
        Ok(Self { account, project: text(&created, "/id")?, rounds: AtomicUsize::new(0) })
    }

    /// The number of the next round.
    fn round(&self) -> usize {
        self.rounds.fetch_add(1, Ordering::Relaxed)
    }
}

/// Creations per second of all clients, in the same project.
fn over_http(stack: &Stack, target: &CardProject) -> Result<f64> {
    let round = target.round();
    let prepare =
        |number: usize| Ok((Client::connect(&stack.ready.control_url)?, first_number(round, number)?));
    LOAD.rate(prepare, |(client, first), done| create(client, target, *first + done))
}

/// The number of a client's first request in a round.
fn first_number(round: usize, client: usize) -> Result<u64> {
    Ok(u64::try_from(round * LOAD.clients + client)? * NUMBERS_PER_CLIENT)
}

/// Creates one card with a unique name and idempotency key.
fn create(client: &mut Client, target: &CardProject, number: u64) -> Result<()> {
    let CardProject { account, project, .. } = target;
    let marker = marker(number);
    let headers = ["content-type: application/json".to_owned(), format!("idempotency-key: bench-{marker}")];
    let path = format!("/api/v2/projects/{project}/cards");
    let body = json!({ "name": format!("Bench {marker}"), "assigneeId": account.user }).to_string();
    let request = Request { method: "POST", path: &path, bearer: &account.key, headers: &headers };
    client.send(&request, body.as_bytes())?.expect(201).map(drop)
}

/// Creates cards by one bulk request.
fn create_many(client: &mut Client, target: &CardProject, number: u64) -> Result<()> {
    let CardProject { account, project, .. } = target;
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

/// Writes the scripts for pgbench from the service's statements for a creation.
fn write_scripts(stack: &Stack, target: &CardProject, database: &Database) -> Result<Scripts> {
    let mut client = Client::connect(&stack.ready.control_url)?;
    let mut numbers = OUTSIDE..;
    let request = || {
        let number = numbers.next().context("no more numbers")?;
        create(&mut client, target, number)?;
        Ok(marker(number))
    };
    let (statements, marker) = capture(database, &stack.service_folder.join("postgres.log"), request)?;
    let kept = [&target.project, &target.account.user, &target.account.key_id].map(String::as_str);
    let variation = Variation { clients: LOAD.clients, accounts: &[], kept: &kept, marker: &marker };
    let one_by_one = script(&statements, &variation);
    let row_by_row = script(&unfolded(&statements)?, &variation);
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

/// The transaction with its creating statement replaced by one for each row: two of history, the card, its index row, its
/// assignment, and the reads of referenced rows.
fn unfolded(statements: &[Statement]) -> Result<Vec<Statement>> {
    let (place, creation) = statements
        .iter()
        .enumerate()
        .find(|(_, statement)| statement.sql.contains("into card_history"))
        .context("the service sent no creation")?;
    let (of_history, rest) = creation.parameters.split_at_checked(9).context("too few parameters")?;
    let cards: Value = serde_json::from_str(rest.first().and_then(Option::as_deref).unwrap_or_default())?;
    let mut parameters = of_history.to_vec();
    let fields =
        ["id", "fields/name", "fields/description", "fields/resolution", "fields/effort", "search_document"];
    for field in fields {
        let value = cards.pointer(&format!("/0/{field}")).context("a card lacks a field")?;
        parameters.push(Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    }
    let single = |sql: &str| Statement { sql: sql.to_owned(), parameters: parameters.clone() };
    let single = ROW_BY_ROW.split(';').map(str::trim).filter(|sql| !sql.is_empty()).map(single);
    let mut all = statements.to_vec();
    all.splice(place..=place, single);
    Ok(all)
}
