//! Counts the rows that a statement's plan touches. A bad plan shows in few rows, where a timing shows nothing.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use serde_json::Value;
use tokio_postgres::{Client, SimpleQueryMessage};

/// A statement of the service with parameters.
pub struct PlannedStatement<'a> {
    /// Its text, with `$1`, `$2`, ...
    pub sql: &'a str,
    /// The types of the parameters.
    pub types: &'a str,
    /// Their values, as SQL literals.
    pub arguments: &'a str,
}

impl PlannedStatement<'_> {
    /// The rows returned and discarded by all plan nodes, and the plan itself, under this
    /// `plan_cache_mode`.
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
