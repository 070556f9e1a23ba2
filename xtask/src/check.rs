//! `cargo xtask check`: format, lints, house rules and unit tests, to run before each commit.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail, ensure};

use crate::workspace::{Workspace, cargo_in};
use crate::{console, log, test, tidy};

/// Steps of cargo.
const STEPS: [&[&str]; 2] =
    [&["fmt", "--all", "--check"], &["clippy", "--quiet", "--workspace", "--all-targets"]];

/// Runs format, clippy, house rules and unit tests; ends at the first that fails.
pub(crate) fn run() -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    for step in STEPS {
        let begin = Instant::now();
        let name = format!("cargo {}", step.join(" "));
        ensure!(cargo_in(&workspace.root).args(step).status()?.success(), "{name} failed");
        log(format_args!("{:.0} s: {name}", begin.elapsed().as_secs_f64()));
    }
    if tidy::run(&tidy::Args::default())? != ExitCode::SUCCESS {
        bail!("cargo xtask tidy failed");
    }
    let begin = Instant::now();
    console::check(&workspace)?;
    log(format_args!("{:.0} s: the console's types and unit tests", begin.elapsed().as_secs_f64()));
    test::run(&test::Args::unit())
}
