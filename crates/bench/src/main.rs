//! The benchmark: one table of the service's figures beside those of a yardstick, measured in one run. Machines are
//! noisy, so contestants take turns, the table shows medians, and only its ratios are comparable between runs.
//!
//! `cargo xtask bench` builds and starts it, and cleans up after it.

mod client;
mod git;
mod groups;
mod inputs;
mod load;
mod model;
mod opencascade;
mod pgbench;
mod process;
mod projects;
mod rclone;
mod script;
mod stack;
mod statements;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::{Parser, ValueEnum};

use groups::Group;
use process::Children;
use stack::Stack;
use table::Table;

/// Longest run. A longer one hangs.
const TIMEOUT: Duration = Duration::from_secs(1800);

/// Measures the service against yardsticks, and prints one table.
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Args {
    /// Groups to measure; all by default
    #[arg(value_enum)]
    groups: Vec<Group>,
    /// Write the table to this file as well, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// An empty folder for the run's files, on the file system of the service's data
    #[arg(long, hide = true)]
    folder: PathBuf,
    /// The folder of PostgreSQL's programs
    #[arg(long, hide = true)]
    postgres_bin: PathBuf,
    /// Chromium
    #[arg(long, hide = true)]
    browser: Option<PathBuf>,
}

/// Fails if a requirement is missed.
fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let mut children = Children::default();
    let stack = Stack::start(&mut children, &args.folder, args.postgres_bin, args.browser)?;
    let groups = if args.groups.is_empty() { Group::value_variants().to_vec() } else { args.groups };
    // In a thread, so that the death of a child ends the run at once.
    let measuring = std::thread::spawn(move || groups::measure(&stack, &groups));
    children.wait_for("the benchmark", TIMEOUT, || measuring.is_finished().then_some(()))?;
    let table = Table::new(measuring.join().map_err(|_| anyhow!("the benchmark panicked"))??);

    print!("{table}");
    if let Some(path) = &args.json {
        std::fs::write(path, serde_json::to_vec_pretty(&table)?)
            .with_context(|| format!("write {}", path.display()))?;
    }
    Ok(if table.passes() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints a line of progress; standard output is kept for the table.
fn log(message: impl std::fmt::Display) {
    eprintln!("bench: {message}");
}
