//! `cargo xtask`: the commands for this repository. A running service (`dev`), the tests (`test`), the benchmark
//! (`bench`), fuzzing (`fuzz`), static programs (`dist`), generated pages (`docs`), manifests (`deploy`) and house rules
//! (`tidy`). Nothing here ships.

mod bench;
mod check;
mod console;
mod deploy;
mod dev;
mod dist;
mod docs;
mod folder;
mod fuzz;
mod http;
mod lint;
mod process;
mod process_table;
mod provision;
mod reaper;
mod server_user;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

/// Runs, tests and checks this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Start PostgreSQL, Redis and both services, with a demonstration user and key
    Dev(dev::Args),
    /// Run every test against a private PostgreSQL and Redis
    Test(test::Args),
    /// Check format, clippy, house rules and unit tests, as before each commit
    Check,
    /// Build the console, which the control plane embeds
    Console(console::Args),
    /// Measure the service against yardsticks and print one table
    Bench(bench::Args),
    /// Run the parsers of untrusted bytes on random cases, for a given time
    Fuzz(fuzz::Args),
    /// Check migrations for statements that lock tables or break a running program
    Lint,
    /// Check the house rules
    Tidy(tidy::Args),
    /// Check the manifests of `deploy/` against each other and against the programs' settings
    Deploy,
    /// Build atelier as one static file for each architecture of Linux
    Dist(dist::Args),
    /// Write the generated pages of docs/
    Docs(docs::Args),
    #[command(hide = true)]
    Reap(reaper::Args),
    #[command(hide = true)]
    RunTests(test::PoolArgs),
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Dev(args) => dev::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Check => check::run(),
        Command::Console(args) => console::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Lint => lint::run(),
        Command::Tidy(args) => tidy::run(&args),
        Command::Deploy => deploy::run(),
        Command::Dist(args) => dist::run(&args),
        Command::Docs(args) => docs::run(&args),
        Command::Reap(args) => reaper::run(&args),
        Command::RunTests(args) => test::run_pool(&args),
    };
    result.unwrap_or_else(|error| match error.downcast_ref::<process::Interrupted>() {
        Some(interrupted) => ExitCode::from(interrupted.exit_code()),
        None => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    })
}

/// Prints a line of progress; standard output is kept for results.
fn log(message: impl std::fmt::Display) {
    eprintln!("xtask: {message}");
}
