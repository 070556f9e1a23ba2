//! Bills of materials of a large design. The yardstick is its tree, which is answered from memory: a bill visits the same
//! objects and counts them.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::Project;
use crate::load::medians;
use crate::table::{Bound, Row};

pub(super) const OBJECTS: u32 = 100_000;
/// Aim of a bill, in milliseconds.
const BILL_MILLIS: f64 = 100.0;
const MILLIS: f64 = 1000.0;

/// The rows of bills: the parts list, and the indented form.
pub(super) fn bills(project: &Project<'_>) -> Result<Vec<Row>> {
    let flat = count(project, "bom?view=flat")?;
    let indented = count(project, "bom")?;
    let [flat_rate, indented_rate, tree] = medians(
        super::ROUNDS,
        [&mut |_| project.rate("bom?view=flat"), &mut |_| project.rate("bom"), &mut |_| project.rate("tree")],
    )?;
    let row = |name, rate| Row {
        name,
        unit: "ms",
        service: MILLIS / rate,
        yardstick: Some(MILLIS / tree),
        required: None,
        aim: Some(Bound::Below(BILL_MILLIS)),
        note: "its tree, from memory",
    };
    Ok(vec![
        row(format!("parts list of {OBJECTS} objects, {flat} rows"), flat_rate),
        row(format!("indented bill of the same, {indented} rows"), indented_rate),
    ])
}

/// The number of rows of a bill, which is kept in memory from then on.
fn count(project: &Project<'_>, path: &str) -> Result<usize> {
    let answer = project.client()?.get(project.stack, &project.at(path))?.json()?;
    let rows = answer.pointer("/rows").and_then(Value::as_array).map_or(0, Vec::len);
    ensure!(rows > 0, "{path} has no rows");
    Ok(rows)
}
