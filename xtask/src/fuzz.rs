//! `cargo xtask fuzz`: repeats the property tests of parsers with new random cases, for a given time.
//!
//! The targets parse untrusted bytes: files, the answers of conversion processes, and multipart bodies. libFuzzer would
//! need a nightly toolchain, which CI doesn't have.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::log;
use crate::workspace::{Workspace, cargo_in};

/// Packages and their test programs that are targets. Programs of two packages may have one name.
const TARGETS: [(&str, &str); 5] = [
    ("dataplane", "multipart"),
    ("exchange", "hostile"),
    ("import", "hostile"),
    ("shape", "meshes"),
    ("shape", "shapes"),
];
/// Cases of each property in one round.
const CASES: &str = "256";

/// Arguments of `cargo xtask fuzz`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Duration; the round that runs at its end is finished
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

/// Cargo's message on a program that it built.
#[derive(Deserialize)]
struct Built {
    executable: String,
    manifest_path: PathBuf,
    target: Target,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

impl Built {
    fn is_target(&self) -> bool {
        let folder = self.manifest_path.parent().and_then(Path::file_name);
        TARGETS
            .iter()
            .any(|&(package, test)| test == self.target.name && folder.is_some_and(|name| name == package))
    }
}

/// Fails with the first failing case, as small as proptest could make it.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let programs = build(&Workspace::find()?)?;
    let deadline = Instant::now() + Duration::from_secs(args.seconds);
    let mut rounds = 0;
    while Instant::now() < deadline {
        for program in &programs {
            let tested = Command::new(program).arg("--quiet").env("PROPTEST_CASES", CASES).output()?;
            if !tested.status.success() {
                bail!("{program}:\n{}", String::from_utf8_lossy(&tested.stdout));
            }
        }
        rounds += 1;
    }
    log(format_args!("{rounds} rounds of {CASES} cases of each property"));
    Ok(ExitCode::SUCCESS)
}

/// Builds the targets as `cargo xtask test` does, and returns their paths.
fn build(workspace: &Workspace) -> Result<Vec<String>> {
    let mut build = cargo_in(&workspace.root);
    build.args(["test", "--workspace", "--no-run", "--message-format", "json"]);
    build.args(TARGETS.iter().flat_map(|(_, test)| ["--test", test]));
    let output = build.stderr(std::process::Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the targets don't build");
    let messages = String::from_utf8(output.stdout).context("cargo's messages")?;
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Built>(line).ok());
    let programs: Vec<String> = built.filter(Built::is_target).map(|program| program.executable).collect();
    ensure!(programs.len() == TARGETS.len(), "built {programs:?} of {TARGETS:?}");
    Ok(programs)
}
