//! The service's drawing of shapes as a program, in the steps of a preview's worker. Prints processor times as JSON.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write, sink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use domain::text::Name;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shape::picture::{PictureSize, draw};
use shape::scene::Scene;
use shape::step::StepScene;
use shape::{glb, meshes};

/// Sides of the tube of a made ring.
const SIDES: u16 = 100;

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Edges and faces of a STEP file
    Design { file: PathBuf },
    /// A small picture of a mesh file, and its hash
    Thumbnail { file: PathBuf },
    /// Writes an STL file of a ring of this many pieces, with 200 triangles each
    Make { file: PathBuf, pieces: u16 },
}

fn main() -> Result<()> {
    let figures = match Cli::parse().task {
        Task::Design { file } => design(&file)?,
        Task::Thumbnail { file } => thumbnail(&file)?,
        Task::Make { file, pieces } => {
            make(BufWriter::new(File::create(file)?), pieces)?;
            json!({})
        }
    };
    println!("{figures}");
    Ok(())
}

/// The seconds until a design is seen by its edges, and those for its faces. Without a shape there are no faces.
fn design(file: &Path) -> Result<Value> {
    let name = file.file_name().and_then(|name| Name::sanitize(name.to_str()?)).context("a name")?;
    let mut input = File::open(file)?;
    let begun = processor_time()?;
    let Some(text) = import::step::text(&name, &mut input)? else { return Ok(json!({ "faces": 0 })) };
    let Ok(mut design) = StepScene::of(&text)? else { return Ok(json!({ "faces": 0 })) };
    let outline = import::convert(&name, input, &import::Settings::default(), sink())?;
    black_box(serde_json::to_vec(&outline)?);
    black_box(glb::write(design.scene()));
    black_box(picture(design.scene())?);
    let edges = processor_time()? - begun;
    let begun = processor_time()?;
    design.add_faces(|| true);
    let faces = processor_time()? - begun;
    Ok(json!({
        "edgesSeconds": edges.as_secs_f64(),
        "facesSeconds": faces.as_secs_f64(),
        "faces": design.scene().faces().shown,
        "triangles": design.scene().triangles(),
    }))
}

/// The seconds from a mesh file in memory to its picture, and those for its hash.
fn thumbnail(file: &Path) -> Result<Value> {
    let bytes = std::fs::read(file)?;
    let begun = processor_time()?;
    black_box(Sha256::digest(&bytes));
    let hash = processor_time()? - begun;
    let begun = processor_time()?;
    let kind = meshes::kind("stl", &bytes, u64::try_from(bytes.len())?).context("not a mesh file")?;
    let scene = meshes::read(kind, &bytes)?;
    let png = picture(&scene)?.context("nothing is to be seen")?;
    black_box(png);
    let picture = processor_time()? - begun;
    Ok(json!({
        "pictureSeconds": picture.as_secs_f64(),
        "hashSeconds": hash.as_secs_f64(),
        "triangles": scene.triangles(),
    }))
}

fn picture(scene: &Scene) -> Result<Option<Vec<u8>>> {
    Ok(draw(scene, None, PictureSize::Small).map(|picture| picture.png()).transpose()?)
}

/// The processor time of this process so far.
fn processor_time() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros)?))
}

/// Writes a ring as binary STL.
fn make(mut out: impl Write, pieces: u16) -> Result<()> {
    let point = |piece: u16, side: u16| {
        let turn = std::f32::consts::TAU * f32::from(piece % pieces) / f32::from(pieces);
        let tilt = std::f32::consts::TAU * f32::from(side % SIDES) / f32::from(SIDES);
        let radius = 10.0 + 3.0 * tilt.cos();
        [radius * turn.cos(), radius * turn.sin(), 3.0 * tilt.sin()]
    };
    out.write_all(&[b' '; 80])?;
    out.write_all(&(2 * u32::from(pieces) * u32::from(SIDES)).to_le_bytes())?;
    for piece in 0..pieces {
        for side in 0..SIDES {
            let corners = [
                point(piece, side),
                point(piece + 1, side),
                point(piece + 1, side + 1),
                point(piece, side + 1),
            ];
            let [a, b, c, d] = corners;
            for triangle in [[a, b, c], [a, c, d]] {
                // Its normal is left to the reader.
                out.write_all(&[0; 12])?;
                for coordinate in triangle.as_flattened() {
                    out.write_all(&coordinate.to_le_bytes())?;
                }
                out.write_all(&[0; 2])?;
            }
        }
    }
    Ok(out.flush()?)
}
