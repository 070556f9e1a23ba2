//! `cargo xtask lint`: checks migrations with squawk, which knows the statements that lock tables for long or break a
//! running program. `.squawk.toml` has its rules.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::provision::packages;
use crate::workspace::Workspace;

/// Lints every step; any warning is a failure.
pub(crate) fn run() -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let squawk = packages::find_or_install_squawk(&workspace)?;
    let (together, alone) = steps(&workspace.root.join("migrations"))?;
    let mut passed = true;
    for (steps, mode) in [(together, "--assume-in-transaction"), (alone, "--no-assume-in-transaction")] {
        // Without a file it would read standard input.
        if !steps.is_empty() {
            let mut command = Command::new(&squawk);
            command.current_dir(&workspace.root).arg(mode).args(steps);
            passed &= command.status().context("start squawk")?.success();
        }
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The files of steps that run in a transaction, and of those that don't.
fn steps(migrations: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(migrations).context("read migrations")? {
        folders.push(entry?.path());
    }
    folders.retain(|path| path.is_dir());
    folders.sort();
    let in_transaction = |folder: &PathBuf| {
        let metadata = std::fs::read_to_string(folder.join("metadata.toml")).unwrap_or_default();
        !metadata.contains("run_in_transaction = false")
    };
    let (together, alone): (Vec<PathBuf>, Vec<PathBuf>) = folders.into_iter().partition(in_transaction);
    let files = |folders: Vec<PathBuf>| folders.iter().map(|folder| folder.join("up.sql")).collect();
    Ok((files(together), files(alone)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn a_step_outside_of_a_transaction_is_linted_as_one() {
        let migrations = tempfile::tempdir().unwrap();
        for step in ["0001_tables", "0002_index"] {
            fs::create_dir(migrations.path().join(step)).unwrap();
        }
        fs::write(migrations.path().join("README.md"), "").unwrap();
        fs::write(migrations.path().join("0002_index/metadata.toml"), "run_in_transaction = false\n")
            .unwrap();
        let (together, alone) = super::steps(migrations.path()).unwrap();
        assert_eq!(together, [migrations.path().join("0001_tables/up.sql")]);
        assert_eq!(alone, [migrations.path().join("0002_index/up.sql")]);
    }
}
