//! The service's STEP reader as a program, and its yardstick: a pass over the same bytes that finds each semicolon.
//! Prints `{"seconds", "peakMib"}`.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use domain::text::Name;
use serde_json::json;

/// Size of a read, as in the reader.
const CHUNK: usize = 256 * 1024;
/// Bytes of geometry for each part of a generated file.
const PART: usize = 1_000_000;

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Reads a file to its objects
    Import { file: PathBuf },
    /// Finds each semicolon
    Memchr { file: PathBuf },
    /// Writes a file of this size, an assembly with a part for each megabyte
    Make { file: PathBuf, megabytes: usize },
}

fn main() -> Result<()> {
    let seconds = match Cli::parse().task {
        Task::Import { file } => {
            let name = Name::sanitize("file.step").context("a name")?;
            let begun = Instant::now();
            let conversion =
                import::convert(&name, File::open(file)?, &import::Settings::default(), std::io::sink())?;
            black_box(conversion.objects().len());
            begun.elapsed()
        }
        Task::Memchr { file } => {
            let begun = Instant::now();
            black_box(semicolons(File::open(file)?)?);
            begun.elapsed()
        }
        Task::Make { file, megabytes } => {
            let begun = Instant::now();
            make(BufWriter::new(File::create(file)?), megabytes)?;
            begun.elapsed()
        }
    };
    println!("{}", json!({ "seconds": seconds.as_secs_f64(), "peakMib": peak_mib()? }));
    Ok(())
}

/// Finds every semicolon, as any reader of statements must, and adds up their positions.
fn semicolons(mut file: File) -> Result<usize> {
    let mut chunk = vec![0; CHUNK];
    let mut sum = 0_usize;
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            return Ok(sum);
        }
        let bytes = chunk.get(..read).unwrap_or_default();
        sum = memchr::memchr_iter(b';', bytes).fold(sum, usize::wrapping_add);
    }
}

/// Peak memory of this process.
fn peak_mib() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("VmHWM")?;
    Ok(peak.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}

/// A writer of numbered statements.
struct Part21<W> {
    out: W,
    id: u64,
}

impl<W: Write> Part21<W> {
    fn add(&mut self, right: &str) -> Result<u64> {
        self.id += 1;
        writeln!(self.out, "#{} = {right};", self.id)?;
        Ok(self.id)
    }

    fn product(&mut self, name: &str) -> Result<(u64, u64)> {
        let product = self.add(&format!("PRODUCT('{name}','{name}','',(#1))"))?;
        let formation = self.add(&format!("PRODUCT_DEFINITION_FORMATION('','',#{product})"))?;
        let definition = self.add(&format!("PRODUCT_DEFINITION('design','',#{formation},#1)"))?;
        Ok((definition, self.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{definition})"))?))
    }

    fn placement(&mut self, x: usize) -> Result<u64> {
        let point = self.add(&format!("CARTESIAN_POINT('',({x}.,0.,0.))"))?;
        let z = self.add("DIRECTION('',(0.,0.,1.))")?;
        let x = self.add("DIRECTION('',(1.,0.,0.))")?;
        self.add(&format!("AXIS2_PLACEMENT_3D('',#{point},#{z},#{x})"))
    }
}

fn make(mut out: impl Write, megabytes: usize) -> Result<()> {
    writeln!(out, "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;")?;
    let mut file = Part21 { out, id: 0 };
    let unit = file.add("( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )")?;
    let context = file.add(&format!(
        "( GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#{unit})) REPRESENTATION_CONTEXT('','') )"
    ))?;
    let (whole, shape) = file.product("whole")?;
    let around = file.add(&format!("SHAPE_REPRESENTATION('',(),#{context})"))?;
    file.add(&format!("SHAPE_DEFINITION_REPRESENTATION(#{shape},#{around})"))?;
    for number in 0..megabytes {
        let (part, shape) = file.product(&format!("part {number}"))?;
        let (from, to) = (file.placement(0)?, file.placement(number)?);
        let inside = file.add(&format!("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#{from}),#{context})"))?;
        file.add(&format!("SHAPE_DEFINITION_REPRESENTATION(#{shape},#{inside})"))?;
        let usage =
            file.add(&format!("NEXT_ASSEMBLY_USAGE_OCCURRENCE('{number}','','',#{whole},#{part},$)"))?;
        let placed = file.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{usage})"))?;
        let operator = file.add(&format!("ITEM_DEFINED_TRANSFORMATION('','',#{from},#{to})"))?;
        let relation = file.add(&format!(
            "( REPRESENTATION_RELATIONSHIP('','',#{inside},#{around}) \
             REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#{operator}) SHAPE_REPRESENTATION_RELATIONSHIP() )"
        ))?;
        file.add(&format!("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#{relation},#{placed})"))?;
        geometry(&mut file)?;
    }
    writeln!(file.out, "ENDSEC;\nEND-ISO-10303-21;")?;
    Ok(file.out.flush()?)
}

/// Writes a part's geometry, with the entities of real files.
fn geometry<W: Write>(file: &mut Part21<W>) -> Result<()> {
    let mut written = 0;
    while written < PART {
        let id = file.id;
        for right in [
            format!("CARTESIAN_POINT('',(-1.2345678{id},0.25,17.5{id}))"),
            "DIRECTION('',(0.707106781186,-0.707106781186,0.))".to_owned(),
            format!("VECTOR('',#{id},1.)"),
            format!("LINE('',#{id},#{id})"),
            format!("CARTESIAN_POINT('',(3.25,1.{id},-9.75{id}))"),
            format!("VERTEX_POINT('',#{id})"),
            format!("EDGE_CURVE('',#{id},#{id},#{id},.T.)"),
            format!("ORIENTED_EDGE('',*,*,#{id},.F.)"),
            format!("ADVANCED_FACE('',(#{id},#{id}),#{id},.T.)"),
        ] {
            file.add(&right)?;
            written += right.len() + 12;
        }
    }
    Ok(())
}
