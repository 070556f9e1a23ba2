//! `cargo xtask bench`: one table of what the service reaches and what a yardstick reaches, measured in one run. Machines
//! are noisy, so contestants take turns, the table shows medians, and only its ratios mean something.

mod available;
mod board;
mod cards;
mod client;
mod clone;
mod content;
mod events;
mod load;
mod model;
mod opencascade;
mod pdf;
mod pgbench;
mod project;
mod reads;
mod script;
mod small;
mod stack;
mod statements;
mod step;
mod stop;
mod table;
mod tools;
mod upload;

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;

use self::stack::Stack;
use self::table::{Row, Table};
use crate::process::Supervisor;
use crate::provision::Ground;
use crate::say;
use crate::workspace::Workspace;

/// Past this something hangs.
const LIMIT: Duration = Duration::from_secs(1800);

/// Arguments of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to measure; everything where nothing is named
    #[arg(value_enum)]
    names: Vec<Name>,
    /// Write the table to this file as well, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// A file of 2 GiB, and the memory that it takes
    Upload,
    /// Files of 16 KiB
    Small,
    /// A project's tree and record
    Reads,
    /// A tree by a tool
    Tools,
    /// A thousand sessions that are followed
    Events,
    /// Stopping a run whose model speaks
    Stop,
    /// A team's board of 2,000 cards
    Board,
    /// Creation of projects
    Project,
    /// Changes, commits, branches and trees of projects of three sizes
    Content,
    /// Clones by Git
    Clone,
    /// Creation of cards
    Cards,
    /// A team's search for cards
    Available,
    /// Reading of STEP files, without the service
    Step,
    /// Images of the pages of PDFs, without the service
    Pdf,
}

/// Builds in release, for the contestants and for the one who keeps the time, and then measures. Fails where a
/// requirement is missed.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    if cfg!(debug_assertions) {
        return Err(build_and_rerun(&workspace));
    }
    let Ground { tools, root, .. } = Ground::prepare(&workspace)?;
    let folder = root.throw_away()?;
    let mut supervisor = Supervisor::start(&folder)?;
    let stack = Stack::start(&mut supervisor, &workspace, &folder, tools.postgres_bin)?;

    let names = if args.names.is_empty() { Name::value_variants().to_vec() } else { args.names.clone() };
    // Apart, so that a signal or the death of a process ends the run at once.
    let work = std::thread::spawn(move || measure(&stack, &names));
    supervisor.wait_for("the benchmark", LIMIT, || work.is_finished().then_some(()))?;
    let table = Table::new(work.join().map_err(|_| anyhow!("the benchmark panicked"))??);

    print!("{table}");
    if let Some(path) = &args.json {
        std::fs::write(path, serde_json::to_vec_pretty(&table)?)
            .with_context(|| format!("write {}", path.display()))?;
    }
    Ok(if table.passes() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns only where it fails.
fn build_and_rerun(workspace: &Workspace) -> anyhow::Error {
    let build = || -> Result<Command> {
        let mut build = workspace.build_command();
        if !build.arg("--release").status()?.success() {
            bail!("the programs don't build");
        }
        let mut command = Command::new(workspace.target.join("release").join("xtask"));
        command.args(std::env::args_os().skip(1));
        Ok(command)
    };
    match build() {
        Ok(mut command) => command.exec().into(),
        Err(error) => error,
    }
}

fn measure(stack: &Stack, names: &[Name]) -> Result<Vec<Row>> {
    let mut rows = stack.idle_memory()?;
    for name in names {
        let group = match name {
            Name::Upload => upload::measure,
            Name::Small => small::measure,
            Name::Reads => reads::measure,
            Name::Tools => tools::measure,
            Name::Events => events::measure,
            Name::Stop => stop::measure,
            Name::Board => board::measure,
            Name::Project => project::measure,
            Name::Clone => clone::measure,
            Name::Cards => cards::measure,
            Name::Available => available::measure,
            Name::Step => step::measure,
            Name::Pdf => pdf::measure,
            Name::Content => content::measure,
        };
        say(format_args!("measuring {name:?}").to_string().to_lowercase());
        rows.extend(group(stack).with_context(|| format!("{name:?}"))?);
    }
    Ok(rows)
}
