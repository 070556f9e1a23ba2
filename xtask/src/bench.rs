//! `cargo xtask bench`: builds in release, and runs the program `bench` in a folder that goes when the run ends.

use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::console;
use crate::process::{Supervisor, exit_code};
use crate::provision::{Prerequisites, packages};
use crate::workspace::{Workspace, cargo_in};

/// Arguments of `cargo xtask bench`.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// Arguments of the benchmark: groups, `--json FILE`, `--help`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    bench_args: Vec<String>,
}

/// Runs the benchmark; the exit code is its own.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    // Help needs no release build.
    if args.bench_args.iter().any(|argument| argument == "--help" || argument == "-h") {
        let mut help = cargo_in(&workspace.root);
        let status =
            help.args(["run", "--quiet", "--package", "bench", "--bin", "bench", "--", "--help"]).status()?;
        return Ok(exit_code(status));
    }
    let Prerequisites { tools, root, .. } = Prerequisites::find_or_install(&workspace)?;
    let folder = root.ephemeral()?;
    let mut supervisor = Supervisor::start(&folder)?;
    console::build(&workspace)?;
    let mut build = workspace.build_command();
    build.arg("--release");
    if !supervisor.run("cargo build", build)?.success() {
        bail!("the programs don't build");
    }
    let mut bench = Command::new(workspace.target.join("release").join("bench"));
    bench.arg("--folder").arg(folder.path()).arg("--postgres-bin").arg(&tools.postgres_bin);
    packages::find_or_install_npm(&workspace)?;
    if let Some(browser) = packages::find_or_install_chromium(&workspace)? {
        bench.arg("--browser").arg(browser);
    }
    bench.args(&args.bench_args);
    Ok(exit_code(supervisor.run("bench", bench)?))
}
