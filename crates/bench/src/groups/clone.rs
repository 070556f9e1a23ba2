//! Clones by `git` of projects of three sizes. The yardstick is `git http-backend` with the same repository, repacked
//! with deltas and a bitmap index.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use crate::load::medians;
use crate::pgbench::Database;
use crate::process::output;
use crate::stack::Stack;
use crate::table::{Bound, Row};
use crate::{git, projects};

const ROUNDS: usize = 5;
const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const REQUIRED: f64 = 1.0;

/// The rows of clones.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let Some(database) = Database::open(&stack.postgres_bin, &stack.ready.database_url)? else {
        return Ok(Vec::new());
    };
    SIZES.iter().map(|objects| of_size(stack, &database, *objects)).collect()
}

/// Cloned objects per second, of a project of this size.
fn of_size(stack: &Stack, database: &Database, objects: u32) -> Result<Row> {
    let project = projects::create(stack, database, objects)?;
    let clone = |url: &str, to: &Path| -> Result<f64> {
        let begun = Instant::now();
        git::clone_bare(stack, url, to)?;
        Ok(f64::from(objects) / begun.elapsed().as_secs_f64())
    };
    let once = |url: &str| -> Result<f64> {
        let folder = stack.scratch.join("clone.git");
        let rate = clone(url, &folder)?;
        std::fs::remove_dir_all(folder)?;
        Ok(rate)
    };
    let ours = git::url(stack, &project);
    let name = format!("{objects}.git");
    let repository = stack.repositories.folder.join(&name);
    clone(&ours, &repository)?;
    let repack = ["repack", "-a", "-d", "-f", "--write-bitmap-index", "--quiet"];
    output("git repack", git::command(&repack).current_dir(&repository))?;
    let theirs = format!("{}/{name}", stack.repositories.url);
    let [service, yardstick] = medians(ROUNDS, [&mut |_| once(&ours), &mut |_| once(&theirs)])?;
    Ok(Row {
        name: format!("clone of {objects} objects"),
        unit: "objects/s",
        service,
        yardstick: Some(yardstick),
        required: Some(Bound::Ratio(REQUIRED)),
        aim: None,
        note: "git http-backend: the same repository",
    })
}
