//! The time that each crate took to build.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Crates below this are not listed.
const LISTED_SECS: f64 = 3.0;

/// A unit of work of cargo.
#[derive(Deserialize)]
struct Unit {
    name: String,
    target: String,
    duration: f64,
}

/// Tells it from the page that cargo writes.
pub(crate) fn show(page: &Path) -> Result<()> {
    let text = std::fs::read_to_string(page).with_context(|| format!("read {}", page.display()))?;
    let data = text.split_once("UNIT_DATA = ").and_then(|(_, rest)| rest.split_once(";\n"));
    let (data, _) = data.with_context(|| format!("{} lists no units", page.display()))?;
    let mut units: Vec<Unit> = serde_json::from_str(data)?;
    units.sort_by(|one, other| other.duration.total_cmp(&one.duration));
    let all: f64 = units.iter().map(|unit| unit.duration).sum();
    println!("\nseconds  crate");
    for unit in units.iter().take_while(|unit| unit.duration > LISTED_SECS) {
        println!("{:7.1}  {}{}", unit.duration, unit.name, unit.target);
    }
    println!("{all:7.1}  all {} units", units.len());
    Ok(())
}
