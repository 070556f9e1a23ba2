//! The service's PDF reader as a program: renders a file at a resolution and writes the images to another file. Prints
//! `{"seconds", "pages"}`.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Parser;
use domain::text::Name;
use import::Settings;
use serde_json::json;

#[derive(Parser)]
struct Cli {
    file: PathBuf,
    images: PathBuf,
    resolution_dpi: u16,
}

fn main() -> Result<()> {
    let Cli { file, images, resolution_dpi } = Cli::parse();
    let name = Name::sanitize("file.pdf").context("a name")?;
    let settings = Settings { resolution_dpi, render_time: Duration::from_secs(600), ..Settings::default() };
    let begun = Instant::now();
    let output = BufWriter::new(File::create(images)?);
    let conversion = import::convert(&name, File::open(file)?, &settings, output)?;
    let pages = conversion.objects().iter().filter(|draft| draft.image.is_some()).count();
    println!("{}", json!({ "seconds": begun.elapsed().as_secs_f64(), "pages": pages }));
    Ok(())
}
