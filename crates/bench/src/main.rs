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
mod noise;
mod opencascade;
mod pgbench;
mod process;
mod projects;
mod rclone;
mod replica;
mod report;
mod script;
mod stack;
mod statements;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, Sender, TryRecvError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::{Parser, ValueEnum, value_parser};

use groups::Group;
use process::Children;
use report::Report;
use stack::{Stack, Tools};
use table::Row;

/// Longest time without a figure. A longer one hangs.
const TIMEOUT: Duration = Duration::from_secs(1800);

/// Measures the service against yardsticks, and prints a table for each group.
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Args {
    /// Groups to measure; all by default
    #[arg(value_enum)]
    groups: Vec<Group>,
    /// Write each row to this file as well, as a line of JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Size of the data of `planning` and `search`; aims are for 100
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = value_parser!(u8).range(1..=100))]
    percent: u8,
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

/// News of the thread that measures.
enum Message {
    Rows(Group, Vec<Row>),
    Failure(Group, anyhow::Error),
}

/// Fails if a requirement is missed, or a group can't be measured.
fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let mut children = Children::default();
    let mut report = Report::create(args.json.as_deref())?;
    let tools = Tools { postgres_bin: args.postgres_bin, browser: args.browser };
    let stack = Stack::start(&mut children, &args.folder, tools, args.percent)?;
    let groups = if args.groups.is_empty() { Group::value_variants().to_vec() } else { args.groups };
    report.add("idle", stack.idle_memory()?)?;

    // In a thread, so that the death of a child ends the run at once.
    let (sender, messages) = mpsc::channel();
    std::thread::spawn(move || measure(&stack, &groups, &sender));
    let next = || match messages.try_recv() {
        Ok(message) => Some(Some(message)),
        Err(TryRecvError::Empty) => None,
        Err(TryRecvError::Disconnected) => Some(None),
    };
    while let Some(message) = children.wait_for("a figure of the benchmark", TIMEOUT, next)? {
        match message {
            Message::Rows(group, rows) => report.add(&group.name(), rows)?,
            Message::Failure(group, error) => report.fail(&group.name(), &error)?,
        }
    }
    Ok(if report.passes() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Measures groups one after the other. One that fails or panics leaves its figures so far, and the other groups.
fn measure(stack: &Stack, chosen: &[Group], sender: &Sender<Message>) {
    for group in chosen {
        let tell = |rows| sender.send(Message::Rows(*group, rows)).context("the benchmark has ended");
        let begun = Instant::now();
        let measured = catch_unwind(AssertUnwindSafe(|| groups::measure(stack, *group, &tell)));
        log(format_args!("{} took {} s", group.name(), begun.elapsed().as_secs()));
        let error = match measured {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => error,
            Err(_) => anyhow!("it panicked"),
        };
        if sender.send(Message::Failure(*group, error)).is_err() {
            return;
        }
    }
}

/// Prints a line of progress; standard output is kept for the tables.
fn log(message: impl std::fmt::Display) {
    eprintln!("bench: {message}");
}
