//! OpenCascade as a reader of STEP files: the Python package `cadquery-ocp` in a virtual environment.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::process::output;
use crate::stack::Stack;

/// Reads a file, and prints the time.
const READ: &str = "
import sys, time
from OCP.STEPControl import STEPControl_Reader
begun = time.perf_counter()
STEPControl_Reader().ReadFile(sys.argv[1])
print('{\"seconds\": %f}' % (time.perf_counter() - begun))
";
/// Makes the shapes of a file and their triangles, and prints the processor times. Triangles are as far from the surface
/// as a thousandth of the size, and as steep as half a radian.
const MESH: &str = "
import sys, time
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.Bnd import Bnd_Box
from OCP.STEPControl import STEPControl_Reader
begun = time.process_time()
reader = STEPControl_Reader()
reader.ReadFile(sys.argv[1])
reader.TransferRoots()
shape = reader.OneShape()
read = time.process_time() - begun
box = Bnd_Box()
BRepBndLib.Add_s(shape, box)
begun = time.process_time()
BRepMesh_IncrementalMesh(shape, 0.001 * box.SquareExtent() ** 0.5, False, 0.5, False)
print('{\"readSeconds\": %f, \"meshSeconds\": %f}' % (read, time.process_time() - begun))
";
const ROUNDS: usize = 3;

#[derive(Deserialize)]
struct Run {
    seconds: f64,
}

/// Processor times of a file.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeshRun {
    /// From the file to its shapes.
    pub(crate) read_seconds: f64,
    /// From the shapes to their triangles.
    pub(crate) mesh_seconds: f64,
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
    let run = || -> Result<f64> { Ok(run::<Run>(python, READ, file)?.seconds) };
    (0..ROUNDS).map(|_| run()).try_fold(f64::INFINITY, |least, run| Ok(least.min(run?)))
}

/// Reads a file and makes triangles of its shapes, once.
pub(crate) fn mesh(python: &Path, file: &Path) -> Result<MeshRun> {
    run(python, MESH, file)
}

fn run<T: DeserializeOwned>(python: &Path, script: &str, file: &Path) -> Result<T> {
    let printed = output("OpenCascade", Command::new(python).args(["-c", script]).arg(file))?;
    // OpenCascade prints messages about the file first.
    let last = printed.lines().last().context("no output")?;
    serde_json::from_str(last).context("the script's output")
}
