//! `cargo xtask tidy`: the house rules that a compiler doesn't check. Each rule is a function from what it looks at to
//! complaints, so that tests can show it what it must refuse.

mod files;
mod graph;

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::docs;
use crate::process::output;
use crate::workspace::{Workspace, cargo_in};

/// Prints every complaint; any is a failure.
pub(crate) fn run() -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let mut complaints = Vec::new();

    let files = tracked_files(&workspace)?;
    complaints.extend(files::top_level(&files));
    for path in files.iter().filter(|path| path.ends_with(".rs")) {
        let text =
            std::fs::read_to_string(workspace.root.join(path)).with_context(|| format!("read {path}"))?;
        complaints.extend(files::source(path, &text));
    }

    let metadata =
        cargo_in(&workspace.root).args(["metadata", "--format-version", "1", "--locked"]).output()?;
    ensure!(
        metadata.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&metadata.stderr).trim()
    );
    let graph: graph::Graph = serde_json::from_slice(&metadata.stdout).context("cargo metadata")?;
    complaints.extend(graph::imports(&graph));
    complaints.extend(graph::forbidden(&graph));

    let stale = docs::stale(&workspace)?;
    complaints.extend(stale.iter().map(|page| format!("{page}: out of date; run: cargo xtask docs")));

    for complaint in &complaints {
        println!("{complaint}");
    }
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The files of the repository, new ones included and ignored ones not.
fn tracked_files(workspace: &Workspace) -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(&workspace.root);
    let listed = output("git ls-files", &mut git)?;
    let exists = |path: &&str| workspace.root.join(path).exists();
    Ok(listed.lines().filter(exists).map(str::to_owned).collect())
}
