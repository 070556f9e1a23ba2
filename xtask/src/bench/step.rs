//! Reading of STEP files: a pass that looks for their semicolons is the least that reading takes. Nothing of the
//! service is running in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::load::medians;
use super::stack::Stack;
use super::table::{Bound, Row};
use crate::process::output;
use crate::say;

const ROUNDS: usize = 5;
/// Size of the file that is made, in megabytes.
const MADE: &str = "200";
/// The largest of the real files.
const REAL: &str = "open/step/derived_backplane.step";
const REQUIRED: f64 = 0.5;
const MEMORY_LIMIT_MIB: f64 = 16.0;

/// What a run of `yardstick-step` says.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    seconds: f64,
    peak_mib: f64,
}

/// The rows of STEP files.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let program = stack.program("yardstick-step");
    let run = |arguments: &[&Path]| -> Result<Run> {
        let said = output("yardstick-step", Command::new(&program).args(arguments))?;
        serde_json::from_str(&said).context("what yardstick-step says")
    };
    let made = stack.scratch.join("made.step");
    run(&[Path::new("make"), &made, Path::new(MADE)])?;

    let mut rows = Vec::new();
    let real = real_file();
    if real.is_none() {
        say("no real STEP file in ../shared/inputs; measuring one that is made");
    }
    let made_row = Some((format!("STEP of {MADE} MB, made"), made.clone()));
    for (name, file) in real.map(|file| ("real STEP of 18 MB".to_owned(), file)).into_iter().chain(made_row) {
        #[expect(clippy::as_conversions, reason = "a size for a figure")]
        let megabytes = std::fs::metadata(&file)?.len() as f64 / 1e6;
        let rate = |task: &str| Ok(megabytes / run(&[Path::new(task), &file])?.seconds);
        let [service, yardstick] = medians(ROUNDS, [&mut |_| rate("import"), &mut |_| rate("memchr")])?;
        rows.push(Row {
            name,
            unit: "MB/s",
            service,
            yardstick: Some(yardstick),
            required: Some(Bound::Ratio(REQUIRED)),
            aim: None,
            note: "memchr for every semicolon",
        });
    }
    let [base, whole] = [run(&[Path::new("memchr"), &made])?, run(&[Path::new("import"), &made])?];
    rows.push(Row {
        name: format!("memory for STEP of {MADE} MB"),
        unit: "MiB",
        service: whole.peak_mib - base.peak_mib,
        yardstick: None,
        required: Some(Bound::Below(MEMORY_LIMIT_MIB)),
        aim: None,
        note: "beyond that of the pass",
    });
    std::fs::remove_file(made)?;
    Ok(rows)
}

/// Where real inputs lie: beside the project, or where `ATELIER_TEST_INPUTS` says.
fn real_file() -> Option<PathBuf> {
    let said = std::env::var_os("ATELIER_TEST_INPUTS").map(PathBuf::from);
    let beside = ["../shared/inputs", "../../shared/inputs"].map(PathBuf::from);
    said.into_iter().chain(beside).map(|folder| folder.join(REAL)).find(|file| file.is_file())
}
