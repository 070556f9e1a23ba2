//! `cargo xtask tidy`: the house rules that a compiler doesn't check. Each rule is a function from sources to complaints,
//! so that a test can show it a source to refuse.

mod crates;
mod files;
mod language;
mod modules;
mod names;
mod rust;

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::docs;
use crate::process::output;
use crate::workspace::{Workspace, cargo_in};
use rust::Crate;

/// Folders of sources that ship.
const PRODUCT: &str = "crates/";
/// The crates among them that don't.
const SUPPORT: [&str; 2] = ["crates/bench/", "crates/testkit/"];

/// Folders of Rust within a crate.
const SOURCE_FOLDERS: [&str; 2] = ["/src/", "/rust/"];

/// Arguments of `cargo xtask tidy`.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Show complaints about files below these paths only
    paths: Vec<String>,
}

/// A file of the repository that is text.
struct File {
    path: String,
    text: String,
}

/// Prints every complaint; any is a failure.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let files = tracked_files(&workspace)?;
    let crates = read_crates(&files)?;
    let mut complaints: Vec<String> =
        files.iter().flat_map(|file| files::source(&file.path, &file.text)).collect();
    complaints.extend(sentences(&files));
    complaints.extend(crates.iter().flat_map(modules::layers));
    complaints.extend(crates.iter().flat_map(modules::areas));
    complaints.extend(crates.iter().flat_map(modules::circles));
    complaints.extend(repeated_names(&crates));
    complaints.extend(of_the_whole(&workspace, &files)?);
    if !args.paths.is_empty() {
        complaints.retain(|complaint| args.paths.iter().any(|path| complaint.starts_with(path)));
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Rules on the repository as a whole: its top level, the crates' imports, and the generated pages.
fn of_the_whole(workspace: &Workspace, files: &[File]) -> Result<Vec<String>> {
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let mut complaints = files::top_level(&paths);
    let metadata =
        cargo_in(&workspace.root).args(["metadata", "--format-version", "1", "--locked"]).output()?;
    ensure!(
        metadata.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&metadata.stderr).trim()
    );
    let graph: crates::Graph = serde_json::from_slice(&metadata.stdout).context("cargo metadata")?;
    complaints.extend(crates::imports(&graph));
    complaints.extend(crates::forbidden(&graph));
    let stale = docs::stale(workspace)?;
    complaints.extend(stale.iter().map(|page| format!("{page}: out of date; run: cargo xtask docs")));
    Ok(complaints)
}

/// The text files of the repository, new ones included and ignored ones not.
fn tracked_files(workspace: &Workspace) -> Result<Vec<File>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(&workspace.root);
    let listed = output("git ls-files", &mut git)?;
    let mut files = Vec::new();
    for path in listed.lines().filter(|path| workspace.root.join(path).exists()) {
        let bytes = std::fs::read(workspace.root.join(path)).with_context(|| format!("read {path}"))?;
        files.push(File { path: path.to_owned(), text: String::from_utf8(bytes).unwrap_or_default() });
    }
    Ok(files)
}

/// The crates of the workspace: each folder `src` with a root, and `rust` of the console, whose `src` is TypeScript.
fn read_crates(files: &[File]) -> Result<Vec<Crate>> {
    let mut folders: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for file in files {
        let source = SOURCE_FOLDERS.iter().find_map(|name| {
            let (folder, below) = file.path.split_once(name)?;
            Some((file.path.get(..folder.len().checked_add(name.len())?.checked_sub(1)?)?, below))
        });
        if let Some((folder, below)) = source.filter(|_| file.path.ends_with(".rs")) {
            folders.entry(folder).or_default().push((below, &file.text));
        }
    }
    folders.iter().map(|(folder, files)| Crate::parse(folder, files)).collect()
}

/// Complaints about sentences.
fn sentences(files: &[File]) -> Vec<String> {
    let rules = [language::worn_out, language::paraphrases, language::wide_lines];
    files.iter().flat_map(|file| rules.map(|rule| rule(&file.path, &file.text))).flatten().collect()
}

/// Names of types that modules of the product share.
fn repeated_names(crates: &[Crate]) -> Vec<String> {
    let ships = |source: &&Crate| {
        let is_below = |folder: &str| source.folder.starts_with(folder);
        is_below(PRODUCT) && !SUPPORT.into_iter().any(is_below)
    };
    let product: Vec<&Crate> = crates.iter().filter(ships).collect();
    names::repeated(&product)
}
