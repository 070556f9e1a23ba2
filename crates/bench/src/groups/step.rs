//! Reading of STEP files. The yardstick is one pass over the same bytes that finds each semicolon. The service takes no
//! part.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::load::medians;
use crate::opencascade;
use crate::process::output;
use crate::stack::Stack;
use crate::table::{Bound, Row};
use crate::{inputs, log};

const ROUNDS: usize = 5;
/// Megabytes of the generated file.
const MADE: &str = "200";
/// Megabytes of the generated file for the measurement of memory.
const LARGE: &str = "1000";
/// The largest of the real files.
const REAL: &str = "open/step/derived_backplane.step";
const REQUIRED: f64 = 0.5;
/// Least ratio to OpenCascade.
const REQUIRED_OF_OPENCASCADE: f64 = 20.0;
const MEMORY_LIMIT_MIB: f64 = 16.0;

/// Output of `yardstick-step`.
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
        let printed = output("yardstick-step", Command::new(&program).args(arguments))?;
        serde_json::from_str(&printed).context("the output of yardstick-step")
    };
    let made = stack.scratch.join("made.step");
    run(&[Path::new("make"), &made, Path::new(MADE)])?;

    let mut rows = Vec::new();
    let real = inputs::find(REAL);
    if let Some(file) = &real {
        rows.extend(against_opencascade(stack, file, run(&[Path::new("import"), file])?.seconds)?);
    } else {
        log("no real STEP file in ../shared/inputs; measuring a generated one");
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
    // Memory depends on the structure, and not on the size of the file.
    run(&[Path::new("make"), &made, Path::new(LARGE)])?;
    let [base, whole] = [run(&[Path::new("memchr"), &made])?, run(&[Path::new("import"), &made])?];
    rows.push(Row {
        name: format!("memory for STEP of {LARGE} MB"),
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

/// The reader's time for a file's structure against OpenCascade's time for the file; none without OpenCascade.
fn against_opencascade(stack: &Stack, file: &Path, seconds: f64) -> Result<Option<Row>> {
    let Some(python) = opencascade::find_or_install(stack) else {
        log("OpenCascade is absent: no Python that could install it");
        return Ok(None);
    };
    Ok(Some(Row {
        name: "structure of a real STEP of 18 MB".to_owned(),
        unit: "/s",
        service: 1.0 / seconds,
        yardstick: Some(1.0 / opencascade::seconds(&python, file)?),
        required: Some(Bound::Ratio(REQUIRED_OF_OPENCASCADE)),
        aim: None,
        note: "OpenCascade reads the file, and builds nothing",
    }))
}
