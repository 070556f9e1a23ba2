//! OpenCascade, as others read STEP files with it: the Python package `cadquery-ocp`, in an environment of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::process::output;
use crate::stack::Stack;

/// Reads a file and does nothing with it.
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

/// A Python that has it; `None` where it can't be installed.
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

/// The least of some runs, in seconds.
pub(crate) fn seconds(python: &Path, file: &Path) -> Result<f64> {
    let run = || -> Result<f64> {
        let said = output("OpenCascade", Command::new(python).args(["-c", SCRIPT]).arg(file))?;
        // It writes about the file as well.
        let last = said.lines().last().context("nothing was said")?;
        Ok(serde_json::from_str::<Run>(last).context("what the script says")?.seconds)
    };
    (0..ROUNDS).map(|_| run()).try_fold(f64::INFINITY, |least, run| Ok(least.min(run?)))
}
