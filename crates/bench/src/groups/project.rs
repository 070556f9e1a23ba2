//! Creation of projects with their first commit over HTTP, by 16 users at a time. The yardstick is pgbench with the same
//! statements in the same transactions.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;

use crate::client::{Client, Request};
use crate::load::{Load, medians};
use crate::pgbench::Database;
use crate::script::{Variation, marker, script};
use crate::stack::{Account, Stack};
use crate::statements::capture;
use crate::table::{Bound, Row};

const ROUNDS: usize = 3;
const LOAD: Load = Load { clients: 16, time: Duration::from_secs(5) };
const REQUIRED: f64 = 0.5;
/// Removes the rows of earlier rounds, except the append-only audit log. Projects are deleted and not truncated, because
/// the history of cards refuses `truncate`. The vacuum makes tables equally large for each round.
const CLEAR: [&str; 3] = ["delete from projects", "truncate idempotency_records", "vacuum analyze"];
/// Numbers of a client's requests. No round repeats one.
const NUMBERS_PER_CLIENT: u64 = 1_000_000;
/// First number of requests outside of rounds.
const OUTSIDE: u64 = 900_000_000_000;

/// The row of creations.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let accounts =
        (0..u64::try_from(LOAD.clients)?).map(|number| stack.account(number)).collect::<Result<Vec<_>>>()?;
    let Some(database) = Database::open(&stack.postgres_bin, &stack.ready.database_url)? else {
        let [service] = medians(ROUNDS, [&mut |round| over_http(stack, &accounts, round)])?;
        return Ok(vec![row(service, None, "skipped: PostgreSQL came without pgbench")]);
    };
    let script = write_script(stack, &accounts, &database)?;
    let [service, pgbench] = medians(
        ROUNDS,
        [
            &mut |round| {
                database.run(&CLEAR)?;
                over_http(stack, &accounts, round)
            },
            &mut |round| {
                database.run(&CLEAR)?;
                database.rate(&script, round, LOAD)
            },
        ],
    )?;
    Ok(vec![row(service, Some(pgbench), "pgbench: the same statements")])
}

fn row(service: f64, yardstick: Option<f64>, note: &'static str) -> Row {
    Row {
        name: "creations of a project, 16 clients".to_owned(),
        unit: "/s",
        service,
        yardstick,
        required: Some(Bound::Ratio(REQUIRED)),
        aim: None,
        note,
    }
}

/// Creations per second, each client as its own user.
fn over_http(stack: &Stack, accounts: &[Account], round: usize) -> Result<f64> {
    let (round, clients) = (u64::try_from(round)?, u64::try_from(accounts.len())?);
    let prepare = |number: usize| {
        let account = accounts.get(number).context("a client without an account")?;
        let first = (round * clients + u64::try_from(number)?) * NUMBERS_PER_CLIENT;
        Ok((Client::connect(&stack.ready.control_url)?, account, first))
    };
    LOAD.rate(prepare, |(client, account, first), done| create(client, account, *first + done))
}

/// Creates one project with a unique name and idempotency key.
fn create(client: &mut Client, account: &Account, number: u64) -> Result<()> {
    let marker = marker(number);
    let headers = ["content-type: application/json".to_owned(), format!("idempotency-key: bench-{marker}")];
    let body = json!({ "name": format!("Bench {marker}") }).to_string();
    let request =
        Request { method: "POST", path: "/api/v2/projects", bearer: &account.key, headers: &headers };
    client.send(&request, body.as_bytes())?.expect(201).map(drop)
}

/// Writes the script for pgbench from the service's statements for a creation.
fn write_script(stack: &Stack, accounts: &[Account], database: &Database) -> Result<PathBuf> {
    let mut client = Client::connect(&stack.ready.control_url)?;
    let first = accounts.first().context("no account")?;
    let mut numbers = OUTSIDE..;
    let request = || {
        let number = numbers.next().unwrap_or(OUTSIDE);
        create(&mut client, first, number)?;
        Ok(marker(number))
    };
    let (statements, marker) = capture(database, &stack.service_folder.join("postgres.log"), request)?;
    let path = stack.scratch.join("project.sql");
    std::fs::write(
        &path,
        script(&statements, &Variation { clients: LOAD.clients, accounts, kept: &[], marker: &marker }),
    )?;
    Ok(path)
}
