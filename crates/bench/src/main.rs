//! The benchmark: tables of the service's figures beside those of a yardstick, measured in one run. Machines are noisy, so
//! contestants take turns, the tables show medians, and only their ratios are comparable between runs. Each group's figures
//! are told as they come, and a group that fails leaves those of the others.
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
use std::sync::mpsc::{self, TryRecvError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::{Parser, ValueEnum};

use groups::Group;
use process::Children;
use stack::Stack;
use table::{Row, Table};

/// Longest time of a group. A longer one hangs.
const TIMEOUT: Duration = Duration::from_secs(1800);

/// Measures the service against yardsticks, and prints a table for each group.
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Args {
    /// Groups to measure; all by default
    #[arg(value_enum)]
    groups: Vec<Group>,
    /// Write all rows to this file as well, as JSON
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

/// Fails if a requirement is missed, or a group can't be measured.
fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let mut children = Children::default();
    let stack = Stack::start(&mut children, &args.folder, args.postgres_bin, args.browser)?;
    let groups = if args.groups.is_empty() { Group::value_variants().to_vec() } else { args.groups };
    let mut report = Report { table: Table::default(), json: args.json, has_failed: false };
    report.add(stack.idle_memory()?)?;

    // In a thread, so that the death of a child ends the run at once.
    let (sender, measured) = mpsc::channel();
    let count = groups.len();
    std::thread::spawn(move || {
        groups.into_iter().all(|group| sender.send(groups::measure(&stack, group)).is_ok())
    });
    for _ in 0..count {
        let next = || match measured.try_recv() {
            Ok(rows) => Some(rows),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err(anyhow!("a group panicked, and with it the benchmark")))
            }
        };
        match children.wait_for("a group of the benchmark", TIMEOUT, next)? {
            Ok(rows) => report.add(rows)?,
            Err(error) => report.fail(&error),
        }
    }
    Ok(if report.has_failed || !report.table.passes() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The figures so far.
struct Report {
    table: Table,
    json: Option<PathBuf>,
    has_failed: bool,
}

impl Report {
    /// Prints the rows of a group, and writes all rows so far to the file.
    fn add(&mut self, rows: Vec<Row>) -> Result<()> {
        let group = Table::new(rows);
        println!("{group}");
        self.table.extend(group);
        let Some(path) = &self.json else { return Ok(()) };
        std::fs::write(path, serde_json::to_vec_pretty(&self.table)?)
            .with_context(|| format!("write {}", path.display()))
    }

    fn fail(&mut self, error: &anyhow::Error) {
        log(format_args!("FAILED: {error:#}"));
        self.has_failed = true;
    }
}

/// Prints a line of progress; standard output is kept for the tables.
fn log(message: impl std::fmt::Display) {
    eprintln!("bench: {message}");
}
