//! Previews of shapes: faces and edges of real designs and a picture of a mesh, without the service; and uploads whose
//! previews are made beside the next ones.

mod designs;
mod uploads;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Tell;
use crate::load::medians;
use crate::log;
use crate::process::output;
use crate::stack::Stack;
use crate::table::{Bound, Row};

const ROUNDS: usize = 5;
/// Pieces of the made ring, of 200 triangles each.
const PIECES: &str = "500";
/// Aim of a picture, in milliseconds.
const PICTURE_MILLIS: f64 = 50.0;
const MILLIS: f64 = 1000.0;

/// Output of `yardstick-shape thumbnail`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PictureRun {
    picture_seconds: f64,
    hash_seconds: f64,
    triangles: u64,
}

/// The rows of previews. A part that fails leaves the others.
pub(super) fn measure(stack: &Stack, tell: Tell<'_>) -> Result<()> {
    let mesh = stack.scratch.join("ring.stl");
    run::<serde_json::Value>(stack, &[Path::new("make"), &mesh, Path::new(PIECES)])?;
    let parts =
        [thumbnail(stack, &mesh, tell), uploads::measure(stack, &mesh, tell), designs::measure(stack, tell)];
    parts.into_iter().collect()
}

/// The row of a picture of a mesh file in memory.
fn thumbnail(stack: &Stack, mesh: &Path, tell: Tell<'_>) -> Result<()> {
    let run = || run::<PictureRun>(stack, &[Path::new("thumbnail"), mesh]);
    let triangles = run()?.triangles;
    log(format_args!("a picture of {triangles} triangles"));
    let [picture, hash] =
        medians(ROUNDS, [&mut |_| Ok(run()?.picture_seconds), &mut |_| Ok(run()?.hash_seconds)])?;
    tell(vec![Row {
        name: format!("small picture of a mesh file of {triangles} triangles"),
        unit: "ms",
        service: picture * MILLIS,
        yardstick: Some(hash * MILLIS),
        required: None,
        aim: Some(Bound::Below(PICTURE_MILLIS)),
        note: "SHA-256 of the file",
    }])
}

/// The output of `yardstick-shape`.
fn run<T: DeserializeOwned>(stack: &Stack, arguments: &[&Path]) -> Result<T> {
    let printed = output("yardstick-shape", Command::new(stack.program("yardstick-shape")).args(arguments))?;
    serde_json::from_str(&printed).context("the output of yardstick-shape")
}
