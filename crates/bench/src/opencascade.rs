//! OpenCascade as a reader of STEP files: the Python package `cadquery-ocp` in a virtual environment.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::process::output;
use crate::stack::Stack;

/// Reads a file, and prints the time.
const SCRIPT: &str = "
import sys, time
from OCP.STEPControl import STEPControl_Reader
begun = time.perf_counter()
STEPControl_Reader().ReadFile(sys.argv[1])
print('{\"seconds\": %f}' % (time.perf_counter() - begun))
";
const ROUNDS: usize = 3;

#[derive(Deserialize)]
struct Run {
    seconds: f64,
}

/// A Python with OpenCascade; nothing if it can't be installed.
pub(crate) fn find_or_install(stack: &Stack) -> Option<PathBuf> {
    let folder = stack.scratch.join("opencascade");
    let python = folder.join("bin/python");
    let install = || -> Result<()> {
        output("python3 -m venv", Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        output("pip", Command::new(&python).args(["-m", "pip", "install", "--quiet", "cadquery-ocp"]))?;
        output("OCP", Command::new(&python).args(["-c", "import OCP.STEPControl"]))?;
        Ok(())
    };
    install().is_ok().then_some(python)
}

/// Seconds of the fastest run.
pub(crate) fn seconds(python: &Path, file: &Path) -> Result<f64> {
    let run = || -> Result<f64> {
        let printed = output("OpenCascade", Command::new(python).args(["-c", SCRIPT]).arg(file))?;
        // OpenCascade prints messages about the file first.
        let last = printed.lines().last().context("no output")?;
        Ok(serde_json::from_str::<Run>(last).context("the script's output")?.seconds)
    };
    (0..ROUNDS).map(|_| run()).try_fold(f64::INFINITY, |least, run| Ok(least.min(run?)))
}
