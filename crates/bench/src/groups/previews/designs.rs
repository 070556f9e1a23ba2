//! Real STEP files: the processor time of their faces, and that until their edges are seen. The yardstick is OpenCascade.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;

use super::{MILLIS, run};
use crate::groups::Tell;
use crate::load::median;
use crate::opencascade::{self, MeshRun};
use crate::stack::Stack;
use crate::table::{Bound, Row};
use crate::{inputs, log};

/// Runs of each file by each of the two. A large file takes OpenCascade ten seconds.
const ROUNDS: usize = 3;
/// Aim of faces, against OpenCascade's triangles.
const FACES_GAIN: f64 = 3.0;
/// Aim of edges, in milliseconds for a megabyte.
const EDGES_MILLIS: f64 = 100.0;
const FACES_NOTE: &str = "OpenCascade: triangles of its shapes";
const EDGES_NOTE: &str = "OpenCascade: from the file to its shapes";

/// Output of `yardstick-shape design`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DesignRun {
    /// Zero for a file that shows nothing, which has no times.
    faces: u64,
    #[serde(default)]
    edges_seconds: f64,
    #[serde(default)]
    faces_seconds: f64,
}

/// Seconds of files; those of OpenCascade are zero without it.
#[derive(Clone, Copy, Default)]
struct Seconds {
    edges: f64,
    faces: f64,
    read: f64,
    meshed: f64,
    megabytes: f64,
}

/// The rows of real files, and of all together. Nothing without such files.
pub(super) fn measure(stack: &Stack, tell: Tell<'_>) -> Result<()> {
    let Some(folder) = inputs::find("open/step") else {
        log("no real STEP files in ../shared/inputs");
        return Ok(());
    };
    let python = opencascade::find_or_install(stack);
    if python.is_none() {
        log("OpenCascade is absent: no Python that could install it");
    }
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    let (mut sum, mut count) = (Seconds::default(), 0);
    for file in &files {
        let Some(seconds) = of_file(stack, python.as_deref(), file)? else { continue };
        let name =
            file.file_stem().unwrap_or_default().to_string_lossy().chars().take(24).collect::<String>();
        tell(vec![faces(format!("faces of {name}, {:.1} MB", seconds.megabytes), seconds)])?;
        if python.is_none() || seconds.read > 0.0 {
            sum = sum.and(seconds);
            count += 1;
        }
    }
    if count == 0 {
        return Ok(());
    }
    let edges = Row {
        name: format!("edges of {count} STEP files, for a megabyte"),
        unit: "ms",
        service: sum.edges * MILLIS / sum.megabytes,
        yardstick: (sum.read > 0.0).then_some(sum.read * MILLIS / sum.megabytes),
        required: None,
        aim: Some(Bound::Below(EDGES_MILLIS)),
        note: EDGES_NOTE,
    };
    tell(vec![faces(format!("faces of {count} STEP files, {:.0} MB", sum.megabytes), sum), edges])
}

/// Medians of a file's times; `None` for one without faces.
fn of_file(stack: &Stack, python: Option<&Path>, file: &Path) -> Result<Option<Seconds>> {
    let (mut ours, mut theirs): (Vec<DesignRun>, Vec<MeshRun>) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let own: DesignRun = run(stack, &[Path::new("design"), file])?;
        if own.faces == 0 {
            return Ok(None);
        }
        ours.push(own);
        match python.map(|python| opencascade::mesh(python, file)) {
            Some(Ok(run)) => theirs.push(run),
            Some(Err(error)) => log(format_args!("no yardstick for {}: {error:#}", file.display())),
            None => {}
        }
    }
    #[expect(clippy::as_conversions, reason = "a size for a figure")]
    let megabytes = std::fs::metadata(file)?.len() as f64 / 1e6;
    Ok(Some(Seconds {
        edges: median(ours.iter().map(|run| run.edges_seconds).collect()),
        faces: median(ours.iter().map(|run| run.faces_seconds).collect()),
        read: median(theirs.iter().map(|run| run.read_seconds).collect()),
        meshed: median(theirs.iter().map(|run| run.mesh_seconds).collect()),
        megabytes,
    }))
}

fn faces(name: String, seconds: Seconds) -> Row {
    Row {
        name,
        unit: "/s",
        service: 1.0 / seconds.faces,
        yardstick: (seconds.meshed > 0.0).then_some(1.0 / seconds.meshed),
        required: None,
        aim: Some(Bound::Ratio(FACES_GAIN)),
        note: FACES_NOTE,
    }
}

impl Seconds {
    fn and(self, other: Self) -> Self {
        Self {
            edges: self.edges + other.edges,
            faces: self.faces + other.faces,
            read: self.read + other.read,
            meshed: self.meshed + other.meshed,
            megabytes: self.megabytes + other.megabytes,
        }
    }
}
