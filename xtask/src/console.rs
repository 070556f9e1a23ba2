//! `cargo xtask console`: builds the console's TypeScript into `crates/console/dist`, which the control plane embeds.
//! `dev`, `test`, `bench` and `dist` do it first, where sources are newer than the build.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};

use crate::log;
use crate::process::output;
use crate::provision::packages;
use crate::workspace::Workspace;

/// The sources of a build, below the crate.
const SOURCES: [&str; 4] = ["src", "build", "package.json", "package-lock.json"];
/// The build's last file.
const MANIFEST: &str = "dist/manifest.json";
/// A copy of the lock file by which the packages were installed.
const INSTALLED: &str = "node_modules/.installed-lock.json";

/// Arguments of `cargo xtask console`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Check types and run the unit tests, too
    #[arg(long)]
    check: bool,
}

/// Builds the console, whether sources are newer or not.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    ensure!(install(&workspace)?, "npm is missing and can't be installed");
    output("node build/build.mjs", &mut node(&workspace, "build.mjs"))?;
    if args.check {
        check(&workspace)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the console if its sources are newer. Without npm, or without its registry, the programs are built without a
/// console, and say so at `/`.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    let folder = folder(workspace);
    let built = modified(&folder.join(MANIFEST));
    let newest = SOURCES.iter().map(|source| newest(&folder.join(source))).max().flatten();
    if built.is_some() && built >= newest {
        return Ok(());
    }
    let begin = Instant::now();
    match install(workspace) {
        Ok(true) => {}
        Ok(false) => {
            log("npm is missing: the programs are built without the console");
            return Ok(());
        }
        Err(error) => {
            log(format_args!("{error:#}: the programs are built without the present console"));
            return Ok(());
        }
    }
    output("node build/build.mjs", &mut node(workspace, "build.mjs"))?;
    log(format_args!("{:.1} s: the console", begin.elapsed().as_secs_f64()));
    Ok(())
}

/// Checks the types and runs the unit tests.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    if !install(workspace)? {
        log("npm is missing: the console is not checked");
        return Ok(());
    }
    for script in ["check", "test"] {
        let mut npm = Command::new("npm");
        npm.args(["run", "--silent", script]).current_dir(folder(workspace));
        output(&format!("npm run {script}"), &mut npm)?;
    }
    Ok(())
}

/// The command that builds the console after each edit.
pub(crate) fn watch(workspace: &Workspace) -> Result<Command> {
    ensure!(install(workspace)?, "npm is missing and can't be installed");
    let mut watch = node(workspace, "build.mjs");
    watch.arg("--watch");
    Ok(watch)
}

/// Installs the packages of the lock file, where another one was installed; false without npm.
pub(crate) fn install(workspace: &Workspace) -> Result<bool> {
    if packages::find_or_install_npm(workspace)?.is_none() {
        return Ok(false);
    }
    let folder = folder(workspace);
    let lock = fs::read(folder.join("package-lock.json")).context("read package-lock.json")?;
    if fs::read(folder.join(INSTALLED)).is_ok_and(|installed| installed == lock) {
        return Ok(true);
    }
    log("installing the console's packages: npm ci");
    output("npm ci", Command::new("npm").arg("ci").current_dir(&folder))?;
    fs::write(folder.join(INSTALLED), lock)?;
    Ok(true)
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("crates/console")
}

fn node(workspace: &Workspace, script: &str) -> Command {
    let mut node = Command::new("node");
    node.arg(format!("build/{script}")).current_dir(folder(workspace));
    node
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// The newest time of a file, or of the files and folders below a folder: a removed file changes its folder.
fn newest(path: &Path) -> Option<SystemTime> {
    let below = fs::read_dir(path).into_iter().flatten().flatten();
    below.filter_map(|entry| newest(&entry.path())).chain(modified(path)).max()
}
