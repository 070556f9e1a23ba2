//! Images of the pages of PDFs, against poppler's `pdftoppm` with the same files and resolution. The service takes no
//! part.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::load::medians;
use crate::process::output;
use crate::stack::Stack;
use crate::table::{Bound, Row};
use crate::{inputs, log};

const ROUNDS: usize = 3;
const RESOLUTION_DPI: &str = "150";
const REQUIRED: f64 = 1.0;
/// The file on which poppler doesn't terminate.
const ENDLESS: &str = "bomb_giant.pdf";

/// Output of `yardstick-pdf`.
#[derive(Deserialize)]
struct Run {
    seconds: f64,
    pages: u32,
}

/// The row of all real PDFs together; none without such files.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let Some(folder) = inputs::find("open/pdf") else {
        log("no real PDFs in ../shared/inputs");
        return Ok(Vec::new());
    };
    let (files, pages) = readable(stack, &folder)?;
    let ours = || -> Result<f64> {
        let seconds = files.iter().map(|file| Ok(render(stack, file)?.seconds)).sum::<Result<f64>>()?;
        Ok(f64::from(pages) / seconds)
    };
    let theirs = || -> Result<f64> {
        let begun = Instant::now();
        files.iter().try_for_each(|file| poppler(stack, file))?;
        Ok(f64::from(pages) / begun.elapsed().as_secs_f64())
    };
    let (service, yardstick) = if has_poppler() {
        let [service, yardstick] = medians(ROUNDS, [&mut |_| ours(), &mut |_| theirs()])?;
        (service, Some(yardstick))
    } else {
        log("pdftoppm is absent, and only root can install it");
        let [service] = medians(ROUNDS, [&mut |_| ours()])?;
        (service, None)
    };
    Ok(vec![Row {
        name: format!("images of {pages} pages of {} PDFs at {RESOLUTION_DPI} dpi", files.len()),
        unit: "/s",
        service,
        yardstick,
        required: Some(Bound::Ratio(REQUIRED)),
        aim: None,
        note: "pdftoppm -png, a process for each file",
    }])
}

/// The files that have pages, and the number of their pages.
fn readable(stack: &Stack, folder: &Path) -> Result<(Vec<PathBuf>, u32)> {
    let (mut files, mut pages) = (Vec::new(), 0);
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.path();
        if file.ends_with(ENDLESS) {
            continue;
        }
        let run = render(stack, &file)?;
        if run.pages > 0 {
            pages += run.pages;
            files.push(file);
        }
    }
    files.sort();
    Ok((files, pages))
}

fn render(stack: &Stack, file: &Path) -> Result<Run> {
    let images = stack.scratch.join("images");
    let printed = output(
        "yardstick-pdf",
        Command::new(stack.program("yardstick-pdf")).arg(file).arg(images).arg(RESOLUTION_DPI),
    )?;
    serde_json::from_str(&printed).context("the output of yardstick-pdf")
}

fn poppler(stack: &Stack, file: &Path) -> Result<()> {
    let folder = stack.scratch.join("poppler");
    std::fs::create_dir_all(&folder)?;
    let mut command = Command::new("pdftoppm");
    command.args(["-png", "-r", RESOLUTION_DPI]).arg(file).arg(folder.join("page"));
    // Its complaints about damaged files are dropped; it renders them.
    command.stderr(Stdio::null()).status().context("pdftoppm")?;
    Ok(std::fs::remove_dir_all(folder)?)
}

/// True if there is a `pdftoppm`, or root could install it.
fn has_poppler() -> bool {
    let is_there = || Command::new("pdftoppm").arg("-v").stderr(Stdio::null()).status().is_ok();
    let install = || -> Result<()> {
        ensure!(nix::unistd::geteuid().is_root(), "only root may");
        output("apt-get", Command::new("apt-get").args(["install", "--yes", "poppler-utils"]))?;
        Ok(())
    };
    is_there() || (install().is_ok() && is_there())
}
