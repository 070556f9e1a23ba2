//! The record that is kept from run to run: how long each test took, and which failed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::workspace::Workspace;

/// Seconds of slow tests on a machine of two cores, for a run that has no record of its own: slow ones begin first.
const SLOW: &str = include_str!("slow.txt");
const FILE: &str = "record.json";

/// The record of earlier runs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Seconds by path of a test.
    seconds: BTreeMap<String, f64>,
    /// Paths of the tests that failed last.
    pub(crate) failed: BTreeSet<String>,
}

impl Record {
    /// The folder of records, and of the outputs of failed tests.
    pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
        workspace.target.join("tests")
    }

    /// Reads the record of a workspace.
    pub(crate) fn read(workspace: &Workspace) -> Result<Self> {
        Self::in_folder(&Self::folder(workspace))
    }

    /// Reads a record; an absent one is that of `slow.txt`.
    pub(crate) fn in_folder(folder: &Path) -> Result<Self> {
        match fs::read(folder.join(FILE)) {
            Ok(text) => serde_json::from_slice(&text)
                .with_context(|| format!("{} is no record: remove it", folder.join(FILE).display())),
            Err(_absent) => Ok(Self { seconds: slow(), failed: BTreeSet::new() }),
        }
    }

    /// How long a test will take.
    pub(crate) fn expected(&self, path: &str) -> Duration {
        Duration::from_secs_f64(self.seconds.get(path).copied().unwrap_or(0.5))
    }

    /// Adds the result of a test.
    pub(crate) fn add(&mut self, path: &str, took: Duration, passed: bool) {
        self.seconds.insert(path.to_owned(), took.as_secs_f64());
        if passed {
            self.failed.remove(path);
        } else {
            self.failed.insert(path.to_owned());
        }
    }

    /// Writes the record.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join(FILE), serde_json::to_vec_pretty(self)?).context("write the record of tests")
    }
}

/// Lines of seconds and path.
fn slow() -> BTreeMap<String, f64> {
    let line = |line: &str| {
        let (seconds, path) = line.split_once(' ')?;
        Some((path.to_owned(), seconds.parse().ok()?))
    };
    SLOW.lines().filter_map(line).collect()
}
