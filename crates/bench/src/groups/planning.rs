//! Planning in a large project: filtered pages of cards, reports from a long history, and an import.

mod filled;
mod flow;
mod import;
mod pages;

use anyhow::{Context, Result};
use domain::time::Timestamp;

use super::Tell;
use crate::log;
use crate::pgbench::Database;
use crate::stack::Stack;

const MILLIS: f64 = 1000.0;
const DAY_SECS: i64 = 24 * 60 * 60;

/// The rows of planning. A part that fails leaves the others.
pub(super) fn measure(stack: &Stack, tell: Tell<'_>) -> Result<()> {
    let Some(database) = Database::open(&stack.postgres_bin, &stack.ready.database_url)? else {
        log("pages and reports are not measured: PostgreSQL came without pgbench, which fills the project");
        return import::measure(stack, tell);
    };
    let parts = [
        import::measure(stack, tell),
        pages::measure(stack, &database, tell),
        flow::measure(stack, &database, tell),
    ];
    parts.into_iter().collect()
}

/// The database's time, in seconds since 1970.
fn now(database: &Database) -> Result<i64> {
    database.ask("select floor(extract(epoch from now()))::bigint")?.parse().context("a time")
}

/// A time as PostgreSQL and the API read it.
fn time(unix_seconds: i64) -> Result<String> {
    Ok(Timestamp::from_unix_seconds(unix_seconds).context("a time")?.to_string())
}

/// The day of a time, in UTC.
fn day(unix_seconds: i64) -> Result<String> {
    Ok(time(unix_seconds)?.chars().take("2026-01-01".len()).collect())
}
