//! What PostgreSQL does for a statement, counted in rows: a bad plan shows among few rows, where time shows nothing.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use serde_json::Value;
use tokio_postgres::{Client, SimpleQueryMessage};

/// A statement of the service, with what it is run with.
pub struct PlannedStatement<'a> {
    /// Its text, with `$1`, `$2`, ...
    pub sql: &'a str,
    /// The types of these.
    pub types: &'a str,
    /// Their values, as in SQL.
    pub arguments: &'a str,
}

impl PlannedStatement<'_> {
    /// How many rows the nodes of its plan give and throw away all together, and the plan; made as `mode` of
    /// `plan_cache_mode` says.
    pub async fn rows_touched(&self, client: &Client, mode: &str) -> (f64, Value) {
        let Self { sql, types, arguments } = self;
        let prepare = format!("set plan_cache_mode = {mode}; prepare planned ({types}) as {sql}");
        client.batch_execute(&prepare).await.unwrap();
        let explain = format!("explain (analyze, format json) execute planned ({arguments})");
        let told = client.simple_query(&explain).await.unwrap();
        let told = told.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        let plan: Value = serde_json::from_str(told.unwrap()).unwrap();
        client.batch_execute("deallocate planned; reset plan_cache_mode").await.unwrap();
        (rows_touched(plan.pointer("/0/Plan").unwrap()), plan)
    }
}

fn rows_touched(node: &Value) -> f64 {
    let number = |name: &str| node.get(name).and_then(Value::as_f64).unwrap_or_default();
    let each =
        number("Actual Rows") + number("Rows Removed by Filter") + number("Rows Removed by Join Filter");
    let below = node.get("Plans").and_then(Value::as_array).into_iter().flatten().map(rows_touched);
    each * number("Actual Loops") + below.sum::<f64>()
}
